import { followVisibility, lapsed, retrying, Session, shown, Watch } from '../huddle.js';
import { announce, byId, enable, onPress, show, showError, text } from './dom.js';
import { drawRoster, drawTimeline } from './lists.js';
import { again, eventWords, rosterNote, sessionWords, statusWords, troubleWords } from './words.js';

const TICK_MS = 250;

/** One room: who is in it, what happened, and being in it oneself. */
export function roomView(onTitle) {
  let open = null;

  function enter({ api, subject }, id) {
    const session = new Session(api, id, subject, { onChange: draw, onLease: (lease) => watch.renewed(lease) });
    const watch = new Watch(api, id, { onChange: draw, onEvent: (event) => session.heard(event) });
    open = { api, subject, id, session, watch, told: null, timeline: null, stop: followVisibility(session) };
    open.tick = setInterval(tick, TICK_MS);
    text(byId('room-title'), 'Opening…');
    text(byId('room-facts'), '');
    showError(byId('room-error'), null);
    show(byId('room-body'), false);
    show(byId('view-room'), true);
    watch.start();
    draw();
  }

  function exit() {
    show(byId('view-room'), false);
    if (!open) return;
    const { session, watch, stop, tick: timer } = open;
    open = null;
    clearInterval(timer);
    stop();
    watch.pause();
    session.leave();
  }

  const nameOf = (participant) => participant;

  function draw() {
    if (!open) return;
    const { watch, session } = open;
    byId('status').dataset.kind = watch.status.kind;
    text(byId('status-text'), statusWords(watch.status));
    if (watch.status.kind === 'refused') {
      showError(byId('room-error'), { message: watch.status.detail });
      if (!watch.room) text(byId('room-title'), 'This huddle cannot be opened');
    }
    drawSession(session, watch);
    if (watch.room) drawRoom(watch);
    tick();
  }

  function drawRoom({ room, roster, timeline }) {
    show(byId('room-body'), true);
    const title = room.label || room.occurrence;
    if (byId('room-title').textContent !== title) onTitle(title);
    text(byId('room-title'), title);
    const by = room.createdBy === open.subject ? 'you' : room.createdBy;
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
    const { state, ending } = session;
    const openRoom = roster?.roomState === 'open';
    byId('you').dataset.state = state === 'ended' && ending !== 'left' ? 'over' : state;
    text(byId('you'), sessionWords(session));
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
    return room ? `Only ${room.createdBy}, who opened the room, can close it.` : '';
  }

  function tick() {
    if (!open || document.hidden) return;
    const { watch, session, api, subject } = open;
    const local = api.clock.local();
    const { status, roster } = watch;
    text(byId('status-in'), status.retryAt ? again(status.retryAt, local) : '');
    byId('status').title = status.kind !== 'refused' && status.detail ? status.detail : '';
    show(byId('you-trouble'), Boolean(session.trouble));
    text(byId('you-trouble'), session.trouble ? troubleWords(session.trouble, local) : '');
    if (!roster) return;
    const now = api.clock.now();
    const entries = shown(roster, now);
    drawRoster(entries, { now, policy: roster.policy, subject, nameOf });
    const note = rosterNote({ stage: roster.stage, unconfirmed: lapsed(roster, now), status });
    text(byId('roster-note'), note);
    show(byId('roster-note'), Boolean(note));
    show(byId('roster-empty'), entries.length === 0 && !note);
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

  onPress(byId('join'), () => open.session.join());
  onPress(byId('suspend'), () => (open.session.state === 'suspended' ? open.session.resume() : open.session.suspend()));
  onPress(byId('drop'), () => (open.session.state === 'dropped' ? open.session.resume() : open.session.drop()));
  onPress(byId('leave'), () => open.session.leave());
  onPress(byId('close'), () => byId('close-dialog').showModal());
  byId('close-dialog').addEventListener('close', () => {
    if (open && byId('close-dialog').returnValue === 'close') close();
    byId('close-dialog').returnValue = '';
  });
  window.addEventListener('online', () => open?.watch.hurry());
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) open?.watch.pause();
    else open?.watch.start();
  });

  return { enter, exit, title: () => byId('room-title') };
}
