/**
 * The roster as a pure function of what the server said: rosters, events, and replies to renewals.
 *
 * A state is `{ seq, stage, roomState, policy, entries }`, `entries` a Map by session. Each entry carries
 * `asOf`, the server's instant at which its lease was known, since renewals make no event and readings may
 * overtake each other.
 */

/** The stages in which leases are computed but do not yet decide who is shown. */
const BEFORE_LEASES = new Set(['shadow', 'fencing']);

const ROOM_STATES = ['open', 'closing', 'closed'];

/** Under this much left, a lease must be known exactly: a reading in vain is cheaper than hiding somebody. */
const NEAR_END_MS = 5000;

export function emptyRoster(room) {
  return { seq: 0, stage: null, roomState: room.state, policy: room.policy, entries: new Map() };
}

/** Applies the next event. The outcome is `applied`, `duplicate`, or `gap`: then read the roster again. */
export function apply(before, event) {
  const ofRoom = event.type.startsWith('room.');
  // A room never goes back, and a roster that was read meanwhile may have skipped this very event.
  const state = ofRoom ? { ...before, roomState: further(before.roomState, event.next) } : before;
  if (event.seq <= state.seq) return { state, outcome: 'duplicate' };
  if (event.seq > state.seq + 1) return { state, outcome: 'gap' };
  const next = { ...state, seq: event.seq };
  if (ofRoom) {
    if (event.next === 'closed') next.entries = new Map();
  } else if (!event.shadow) {
    // A shadow event was computed and not carried out: it counts, and changes nothing.
    next.entries = transition(state, event);
  }
  return { state: next, outcome: 'applied' };
}

function transition({ entries, policy }, event) {
  const known = entries.get(event.session);
  if (known && known.generation > event.generation) return entries;
  const next = new Map(entries);
  if (event.next === 'absent') {
    next.delete(event.session);
  } else if (['present', 'suspect', 'suspended'].includes(event.next)) {
    next.set(event.session, {
      session: event.session,
      participant: event.participant,
      joinedAt: known && event.type !== 'participant.joined' ? known.joinedAt : event.at,
      generation: event.generation,
      state: event.next,
      leaseUntil: leaseAfter(event, known, policy),
      asOf: event.at,
      ...(event.next === 'suspect' && { suspectAt: event.at }),
    });
  }
  return next;
}

/** Events carry no lease, but the state table says what each transition does to it. */
function leaseAfter(event, known, policy) {
  const renewed = plus(event.at, policy.leaseSeconds);
  if (event.next === 'suspended') return plus(event.at, policy.suspendedLeaseSeconds);
  if (event.next === 'suspect') return known?.leaseUntil ?? renewed;
  return event.type === 'participant.recovered' && known?.state === 'suspect'
    ? later(known.leaseUntil, renewed)
    : renewed;
}

/** Takes in a roster or a snapshot. One that is older than what is known only brings leases up to date. */
export function adopt(state, roster) {
  const old = roster.seq < state.seq;
  const entries = old ? new Map(state.entries) : new Map();
  for (const read of roster.entries) {
    const known = state.entries.get(read.session);
    const fresh = { ...read, asOf: roster.asOf };
    if (!old) entries.set(read.session, same(known, fresh) ? fresher(known, fresh) : fresh);
    else if (same(known, fresh)) entries.set(read.session, fresher(known, fresh));
  }
  return old ? { ...state, entries } : { ...state, seq: roster.seq, stage: roster.stage, entries };
}

/** Takes in what a renewal's reply, or a join's, said about one session. */
export function renewed(state, { session, generation, leaseUntil, serverTime, state: presence }) {
  const known = state.entries.get(session);
  const fresh = { ...known, session, generation, state: presence, leaseUntil, asOf: serverTime };
  if (!same(known, fresh)) return state;
  return { ...state, entries: new Map(state.entries).set(session, fresher(known, fresh)) };
}

/** The entries to show at this instant of the server's clock, in order of joining. */
export function shown(state, now) {
  return [...state.entries.values()]
    .filter((entry) => !hidden(state, entry, now))
    .sort((a, b) => compare(a.joinedAt, b.joinedAt) || compare(a.participant, b.participant));
}

/** How many entries are hidden because their lease, as far as it is known here, has run out. */
export function lapsed(state, now) {
  return [...state.entries.values()].filter((entry) => hidden(state, entry, now)).length;
}

/** Milliseconds left of a lease, never negative. */
export function remaining(entry, now) {
  return Math.max(0, Date.parse(entry.leaseUntil) - now);
}

/**
 * Whether leases must be read in full. The entity tag leaves leases out, so a "not modified" tells nothing
 * about a lease that should have been renewed by now. The own session's lease is known from its renewals.
 */
export function leasesDue(state, now, own) {
  const afterHeartbeat = (state.policy.leaseSeconds - state.policy.heartbeatSeconds) * 1000;
  return [...state.entries.values()].some((entry) => {
    const left = remaining(entry, now);
    const overdue = entry.state === 'present' && left < afterHeartbeat && entry.session !== own;
    return overdue || left < NEAR_END_MS;
  });
}

function hidden(state, entry, now) {
  return !BEFORE_LEASES.has(state.stage) && Date.parse(entry.leaseUntil) <= now;
}

function further(known, next) {
  return ROOM_STATES.indexOf(next) > ROOM_STATES.indexOf(known) ? next : known;
}

function same(known, fresh) {
  return known?.generation === fresh.generation && known.state === fresh.state;
}

function fresher(known, fresh) {
  return Date.parse(known.asOf) > Date.parse(fresh.asOf)
    ? { ...fresh, leaseUntil: known.leaseUntil, asOf: known.asOf }
    : fresh;
}

function plus(time, seconds) {
  return new Date(Date.parse(time) + seconds * 1000).toISOString();
}

function later(a, b) {
  return Date.parse(a) >= Date.parse(b) ? a : b;
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
