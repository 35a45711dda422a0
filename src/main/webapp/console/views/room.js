import { announce, show, showError, text } from '../../page/dom.js';
import { eventWords } from '../../page/words.js';
import { badge, button, code, h, since, until } from '../elements.js';
import { Follower } from '../follower.js';
import { table } from '../listing.js';
import { askReason } from '../reason.js';
import { Refresher } from '../refresher.js';
import { apply, merge, renew } from '../roster.js';
import { format } from '../router.js';
import { audioWords, failureWords, plural, stamp, witnessWords } from '../words.js';
import { removal } from './removal.js';

const PAGE = 50;
/** Leases are lengthened without an event: this one room is read again as often. */
const LEASES_MS = 3000;

const nameOf = (participant) => participant;

/** One room: who is in it, what happened, closing it, and removing a generation of a session. */
export function roomView(context) {
  const { admin } = context;
  let open = null;

  const title = h('h1', { id: 'room-title', tabindex: '-1' }, 'Room');
  const facts = h('p', { class: 'muted', id: 'room-facts' });
  const state = h('p', { class: 'badges', id: 'room-state' });
  const following = h('p', { class: 'status', id: 'following', 'data-kind': 'connecting' }, h('span', { role: 'status' }, 'Opening…'));
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const note = h('p', { class: 'note', hidden: true });
  const close = button('Close room…', closeRoom, { class: 'danger', id: 'close-room' });
  const audit = h('a', { href: '#/audit' }, 'What operators did here');
  const count = h('span', { class: 'count' });
  const roster = table({
    label: 'Roster',
    keyOf: (member) => member.session,
    rowState: (member) => (member.lapsed ? 'lapsed' : member.state),
    columns: [
      { head: 'Participant', cell: (member) => [member.participant, h('span', { class: 'under' }, code(member.session))] },
      { head: 'State', cell: (member) => [badge(member.state), member.suspectAt && h('span', { class: 'under' }, 'since ', since(member.suspectAt))] },
      { head: 'Generation', class: 'number', cell: (member) => String(member.generation) },
      { head: 'Lease', cell: (member) => until(member.leaseUntil) },
      { head: 'Last heard', cell: (member) => since(member.provenAt) },
      { head: 'Audio', cell: (member) => [audioWords(member), ageOf(member.evidence)] },
      { head: 'Node', cell: (member) => nodeWords(member) },
      {
        head: 'Action',
        cell: (member) =>
          button('Remove…', () => remove(member), {
            class: 'danger small',
            'aria-label': `Remove ${member.participant}, generation ${member.generation}…`,
          }),
      },
    ],
  });
  const rosterEmpty = h('p', { class: 'empty', hidden: true }, 'Nobody is in the room.');
  const observed = table({
    label: 'Observed without a lease',
    keyOf: (one) => one.participant,
    rowState: (one) => (one.evidence.outOfDate ? 'lapsed' : null),
    columns: [
      { head: 'Participant', cell: (one) => [one.participant, one.session && h('span', { class: 'under' }, code(one.session))] },
      { head: 'Audio', cell: (one) => [one.evidence.says, ageOf(one.evidence)] },
    ],
  });
  const strangers = h('section', { class: 'stack', id: 'observed', 'aria-labelledby': 'observed-title', hidden: true },
    h('h2', { id: 'observed-title' }, 'Observed without a lease'),
    h('p', { class: 'muted' }, 'A media server or an older system sees them connected; they are not members, or not any more.'),
    observed.element);
  const timeline = table({
    label: 'What happened',
    keyOf: (event) => event.seq,
    rowState: (event) => (event.shadow ? 'shadow' : event.next),
    columns: [
      { head: 'No.', class: 'number', cell: (event) => String(event.seq) },
      { head: 'When', cell: (event) => h('time', { datetime: event.at, title: event.at }, stamp(event.at)) },
      { head: 'What', class: 'wide', cell: (event) => [eventWords(event, nameOf), event.reason && h('span', { class: 'under' }, event.reason)] },
      { head: 'From', cell: (event) => event.prior ?? '–' },
      { head: 'To', cell: (event) => event.next },
      { head: 'Generation', class: 'number', cell: (event) => (event.generation === undefined ? '–' : String(event.generation)) },
      { head: 'Event', cell: (event) => code(event.id) },
    ],
  });
  const earlier = button('Earlier events', readEarlier);
  const body = h(
    'div',
    { class: 'stack', hidden: true },
    h('section', { class: 'stack', 'aria-labelledby': 'roster-title' },
      h('div', { class: 'head' }, h('h2', { id: 'roster-title' }, 'Roster'), count), note, roster.element, rosterEmpty),
    strangers,
    h('section', { class: 'stack', 'aria-labelledby': 'timeline-title' },
      h('h2', { id: 'timeline-title' }, 'Timeline'), timeline.element, h('div', { class: 'buttons' }, earlier)),
  );
  const element = h(
    'section',
    { class: 'view stack', 'aria-labelledby': 'room-title' },
    h('p', {}, h('a', { href: '#/rooms' }, '← Rooms')),
    h('div', { class: 'title' }, h('div', {}, title, state, facts), h('div', { class: 'tools' }, following, close, audit)),
    error,
    body,
  );

  function enter({ id }) {
    if (open?.id === id) return;
    leave();
    const place = { id, room: null, members: [], events: [], earliest: null, follower: null };
    open = place;
    place.refresher = new Refresher((signal) => read(place, signal), { everyMs: LEASES_MS });
    text(title, 'Opening…');
    // Nothing of the room that was here before stands beside the name of this one.
    text(facts, '');
    state.replaceChildren();
    delete state.dataset.marks;
    following.dataset.kind = 'connecting';
    text(following.firstElementChild, 'Opening…');
    show(close, false);
    audit.href = format('audit', { params: { room: id } });
    show(body, false);
    showError(error, null);
    place.refresher.now();
  }

  async function read(place, signal) {
    const first = !place.room;
    try {
      const view = await admin.room(place.id, { limit: first ? PAGE : 20 }, { signal });
      if (signal.aborted || open !== place) return;
      // An answer that was under way while an event arrived is older than what is shown.
      if (place.events[0] && view.room.seq < place.events[0].seq) {
        place.refresher.soon();
        return;
      }
      place.view = view;
      place.room = view.room;
      place.members = view.roster;
      const { events, hole } = renew(place.events, view.events);
      place.events = events;
      if (first || hole) place.earliest = view.next ?? null;
      if (first) follow(place);
      showError(error, null);
      draw(place);
    } catch (failed) {
      if (signal.aborted || open !== place) return;
      showError(error, { message: failed.code === 'room-not-found' ? 'No room that is still kept has this id' : failureWords(failed, 'rooms') });
      if (first) text(title, 'This room cannot be shown');
    }
  }

  function follow(place) {
    place.follower = new Follower(admin, place.id, {
      onStatus: (kind) => status(kind),
      onGap: () => place.refresher.soon(),
      onEvent: (event) => {
        if (open !== place || event.seq <= (place.events[0]?.seq ?? 0)) return;
        const { members, incomplete } = apply(place.members, event);
        place.members = members;
        place.events = merge(place.events, [event]);
        announce(`${eventWords(event, nameOf)}.`);
        draw(place);
        if (incomplete) place.refresher.soon();
      },
    });
    place.follower.follow(place.room.seq);
  }

  function status(kind) {
    following.dataset.kind = kind === 'live' ? 'live' : 'down';
    text(following.firstElementChild, kind === 'live' ? 'Followed live' : 'Reconnecting…');
  }

  function draw({ room, view, members, events, earliest }) {
    const name = room.label || room.occurrence;
    text(title, name);
    context.titled(name);
    text(facts, [room.label && room.occurrence, `team ${room.team}`, `stage ${view.stage}`, `opened by ${room.createdBy}`, stamp(room.createdAt), room.id]
      .filter(Boolean).join(' · '));
    const marks = [room.state, room.critical && 'critical', room.synthetic && 'synthetic'].filter(Boolean);
    if (state.dataset.marks !== marks.join()) {
      state.dataset.marks = marks.join();
      state.replaceChildren(...marks.map((mark) => badge(mark)));
    }
    show(close, room.state === 'open');
    audit.href = format('audit', { params: { room: room.id } });
    show(body, true);
    text(count, plural(members.length, 'session'));
    text(note, view.nodesKnown ? '' : 'The registry does not answer: where the streams are is not known.');
    show(note, !view.nodesKnown);
    const held = roster.element.contains(document.activeElement);
    roster.draw(members);
    show(roster.element, members.length > 0);
    show(rosterEmpty, members.length === 0);
    if (held && !members.length) title.focus();
    drawObserved(view.observed ?? []);
    timeline.draw(events);
    show(earlier, earliest !== null);
  }

  function drawObserved(all) {
    const held = observed.element.contains(document.activeElement);
    observed.draw(all);
    show(strangers, all.length > 0);
    if (held && !all.length) title.focus();
  }

  async function readEarlier() {
    const place = open;
    try {
      const view = await admin.room(place.id, { before: place.earliest, limit: PAGE });
      if (open !== place) return;
      place.events = merge(place.events, view.events);
      place.earliest = view.next ?? null;
      draw(place);
    } catch (failed) {
      if (open === place) showError(error, failed);
    }
  }

  async function remove(member) {
    if (await removal(admin, member)) open?.refresher.soon();
  }

  async function closeRoom() {
    const { id } = open;
    const done = await askReason({
      title: 'Close this room for everybody?',
      explanation: 'All who are in it are removed. A closed room cannot be opened again.',
      confirm: 'Close room',
      act: (reason) => admin.closeRoom(id, reason),
    });
    if (done) open?.refresher.soon();
  }

  function leave() {
    open?.follower?.stop();
    open?.refresher.stop();
    open = null;
  }

  return { element, title: 'Room', enter, refresh() {}, exit: leave };
}

/** Who says so, and how long ago; marked where that is too long ago to count. */
function ageOf(evidence) {
  if (!evidence) return null;
  return [
    h('span', { class: 'under' }, witnessWords(evidence), ', ', since(evidence.at)),
    evidence.outOfDate && badge('outdated', 'out of date'),
  ];
}

function nodeWords({ node, nodeGeneration, generation }) {
  if (!node) return 'no stream';
  const other = nodeGeneration !== undefined && nodeGeneration !== generation;
  return [code(node), other && h('span', { class: 'under' }, `generation ${nodeGeneration}`)];
}
