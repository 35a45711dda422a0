import { Huddle, lapsed, retrying, SpeakerTeller } from '../huddle.js';
import { announce, byId, enable, onPress, show, showError, text } from './dom.js';
import { drawRoster, drawTimeline } from './lists.js';
import { talkView } from './talk.js';
import { again, eventWords, rosterNote, sessionWords, shownStatus, statusWords, troubleWords } from './words.js';

const TICK_MS = 250;
/** A stream that is only just being opened is not shown as a failure. */
const DOWN_MS = 1500;

/** One room: who is in it, what happened, being in it oneself, and talking. */
export function roomView(onTitle, nameOf = (participant) => participant) {
  let open = null;
  const talk = talkView(() => open?.huddle ?? null);

  function enter({ api, subject }, id) {
    const huddle = new Huddle({ api, room: id, participant: subject, nameOf, onChange: draw });
    open = { api, subject, id, huddle, told: null, timeline: null, teller: new SpeakerTeller() };
    open.tick = setInterval(tick, TICK_MS);
    text(byId('room-title'), 'Opening…');
    text(byId('room-facts'), '');
    showError(byId('room-error'), null);
    show(byId('room-body'), false);
    show(byId('view-room'), true);
    huddle.watch.start();
    draw();
  }

  function exit() {
    show(byId('view-room'), false);
    if (!open) return;
    const { huddle, tick: timer } = open;
    open = null;
    clearInterval(timer);
    huddle.close();
  }

  function draw() {
    if (!open) return;
    const { watch, session } = open.huddle;
    drawStatus();
    if (watch.status.kind === 'refused') {
      showError(byId('room-error'), { message: watch.status.detail });
      if (!watch.room) text(byId('room-title'), 'This huddle cannot be opened');
    }
    drawSession(session, watch);
    talk.draw();
    if (watch.room) drawRoom(watch);
    tick();
  }

  /** What time alone can change: a lease that runs out, a server that is not heard. Returns the status shown. */
  function drawStatus() {
    const { watch, session } = open.huddle;
    const { clock } = open.api;
    const [local, now] = [clock.local(), clock.now()];
    // Whoever went silent on purpose has no stream and waits for none.
    const broken = session.state === 'in' && session.line === 'down';
    open.downSince = broken ? (open.downSince ?? local) : null;
    const down = open.downSince !== null && local - open.downSince > DOWN_MS;
    const status = shownStatus(watch.status, {
      line: down ? 'down' : 'up',
      silentMs: local - watch.heardAt,
      people: open.huddle.people(now).length,
      unconfirmed: watch.roster ? lapsed(watch.roster, now) : 0,
    });
    byId('status').dataset.kind = status.kind;
    text(byId('status-text'), statusWords(status));
    const own = { lapsed: session.lapsed(now), overdue: session.overdue(now) };
    const troubled = session.line === 'down' || own.lapsed || own.overdue;
    const over = session.state === 'ended' && session.ending !== 'left';
    byId('you').dataset.state = over ? 'over' : session.state === 'in' && troubled ? 'down' : session.state;
    text(byId('you'), sessionWords(session, own));
    return status;
  }

  function drawRoom({ room, roster, timeline }) {
    show(byId('room-body'), true);
    const title = room.label || room.occurrence;
    if (byId('room-title').textContent !== title) onTitle(title);
    text(byId('room-title'), title);
    const by = room.createdBy === open.subject ? 'you' : nameOf(room.createdBy);
    const facts = [room.label && room.occurrence, `team ${room.team}`, `opened by ${by}`, roster.roomState];
    text(byId('room-facts'), facts.filter(Boolean).join(' · '));
    if (open.timeline === timeline) return;
    open.timeline = timeline;
    drawTimeline(timeline, nameOf);
    tell(timeline);
  }

  /** Speaks what happened since the page was opened, not what it found. */
  function tell(timeline) {
    const last = timeline.at(-1)?.seq ?? 0;
    const fresh = open.told === null ? [] : timeline.filter((event) => event.seq > open.told && !event.shadow);
    open.told = Math.max(last, open.told ?? 0);
    const others = fresh.filter((event) => event.participant !== open.subject);
    others.forEach((event) => announce(`${eventWords(event, nameOf)}.`));
  }

  function drawSession(session, { room, roster }) {
    const { state } = session;
    const openRoom = roster?.roomState === 'open';
    const fresh = state === 'out' || state === 'joining' || (state === 'ended' && !session.membership);
    text(byId('join'), state === 'joining' ? 'Joining…' : fresh ? 'Join' : 'Rejoin');
    byId('join').classList.toggle('primary', fresh || state === 'ended' || state === 'dropped');
    enable(byId('join'), openRoom && state !== 'joining');
    text(byId('suspend'), state === 'suspended' ? 'Resume' : 'Suspend');
    enable(byId('suspend'), state === 'in' || state === 'suspended');
    text(byId('drop'), state === 'dropped' ? 'Renew again' : 'Drop');
    enable(byId('drop'), state === 'in' || state === 'suspended' || state === 'dropped');
    enable(byId('leave'), state !== 'out' && state !== 'ended');
    const mine = room?.createdBy === open.subject;
    enable(byId('close'), mine && openRoom && !open.closing);
    text(byId('close-hint'), closeHint(room, roster, mine));
  }

  function closeHint(room, roster, mine) {
    if (roster && roster.roomState !== 'open') return `This room is ${roster.roomState}.`;
    if (mine) return 'You opened this room, so you can close it.';
    return room ? `Only ${nameOf(room.createdBy)}, who opened the room, can close it.` : '';
  }

  function tick() {
    if (!open || document.hidden) return;
    const { huddle, api } = open;
    const { watch, session } = huddle;
    const local = api.clock.local();
    const { roster } = watch;
    const status = drawStatus();
    text(byId('status-in'), status.retryAt ? again(status.retryAt, local) : '');
    byId('status').title = status.kind !== 'refused' && status.detail ? status.detail : '';
    show(byId('you-trouble'), Boolean(session.trouble));
    text(byId('you-trouble'), session.trouble ? troubleWords(session.trouble, local) : '');
    if (!roster) return;
    const now = api.clock.now();
    const people = huddle.people(now);
    drawRoster(people, { now, policy: roster.policy, listening: session.state === 'in' });
    drawSpeakers(people, local);
    talk.tick();
    const unconfirmed = lapsed(roster, now);
    const note = rosterNote({ stage: roster.stage, people: people.length, unconfirmed, status });
    text(byId('roster-note'), note);
    show(byId('roster-note'), Boolean(note));
    show(byId('roster-empty'), people.length === 0 && !note);
  }

  function drawSpeakers(people, local) {
    const others = people.filter((person) => person.speaking && !person.own);
    const next = open.teller.next(others.map((person) => person.session), local);
    const told = others.find((person) => person.session === next);
    if (told && talk.tellsSpeakers()) announce(`${told.name} is speaking.`);
  }

  async function close() {
    const asked = open;
    asked.closing = true;
    draw();
    try {
      await retrying(() => asked.api.closeRoom(asked.id));
    } catch (error) {
      if (open === asked) showError(byId('room-error'), error);
    }
    asked.closing = false;
    draw();
  }

  const session = () => open.huddle.session;
  onPress(byId('join'), () => open.huddle.join());
  onPress(byId('suspend'), () => (session().state === 'suspended' ? session().resume() : session().suspend()));
  onPress(byId('drop'), () => (session().state === 'dropped' ? session().resume() : session().drop()));
  onPress(byId('leave'), () => open.huddle.leave());
  onPress(byId('close'), () => byId('close-dialog').showModal());
  byId('close-dialog').addEventListener('close', () => {
    if (open && byId('close-dialog').returnValue === 'close') close();
    byId('close-dialog').returnValue = '';
  });

  return { enter, exit, title: () => byId('room-title') };
}
