import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adopt, apply, emptyRoster, lapsed, leasesDue, remaining, renewed, shown } from '../../main/webapp/client/roster.js';

const policy = { heartbeatSeconds: 5, leaseSeconds: 15, suspendedLeaseSeconds: 120, maxParticipants: 50 };
const T0 = Date.parse('2025-01-01T08:00:00.000Z');
const at = (seconds) => new Date(T0 + seconds * 1000).toISOString();
const now = (seconds) => T0 + seconds * 1000;
const empty = () => emptyRoster({ state: 'open', policy });

const entry = (participant, fields = {}) => ({
  session: `s-${participant}`,
  participant,
  generation: 1,
  state: 'present',
  joinedAt: at(0),
  leaseUntil: at(15),
  ...fields,
});
const roster = (seq, entries, fields = {}) => ({ room: 'r', seq, asOf: at(0), stage: 'alerting', entries, ...fields });
const event = (seq, type, participant, next, fields = {}) => ({
  id: `e-${seq}`,
  room: 'r',
  seq,
  type: `participant.${type}`,
  session: `s-${participant}`,
  participant,
  generation: 1,
  next,
  at: at(seq),
  ...fields,
});
const all = (state, events) => events.reduce((before, next) => apply(before, next).state, state);
const names = (state, seconds) => shown(state, now(seconds)).map((each) => each.participant);

test('joined_next_event_isShownWithTheLeaseOfThePolicy', () => {
  const { state, outcome } = apply(empty(), event(1, 'joined', 'a', 'present'));
  assert.equal(outcome, 'applied');
  assert.deepEqual(names(state, 2), ['a']);
  assert.equal(state.entries.get('s-a').leaseUntil, at(16));
});

test('event_deliveredTwice_isDropped', () => {
  const once = all(empty(), [event(1, 'joined', 'a', 'present'), event(2, 'left', 'a', 'absent')]);
  const { state, outcome } = apply(once, event(1, 'joined', 'a', 'present'));
  assert.equal(outcome, 'duplicate');
  assert.deepEqual(names(state, 3), []);
});

test('event_afterAMissingOne_isAGapAndChangesNothing', () => {
  const before = adopt(empty(), roster(4, [entry('a')]));
  const { state, outcome } = apply(before, event(6, 'left', 'a', 'absent'));
  assert.equal(outcome, 'gap');
  assert.equal(state.seq, 4);
  assert.deepEqual(names(state, 1), ['a']);
});

test('reconnect_ofAListedParticipant_isOneEntryOfTheNewGeneration', () => {
  const state = all(adopt(empty(), roster(1, [entry('a')])), [
    event(2, 'reconnected', 'a', 'present', { generation: 2, prior: 'present' }),
  ]);
  const [only, ...others] = shown(state, now(3));
  assert.equal(others.length, 0);
  assert.equal(only.generation, 2);
  assert.equal(only.joinedAt, at(0));
});

test('departure_ofAnOlderGeneration_leavesTheNewerOne', () => {
  const state = all(adopt(empty(), roster(1, [entry('a', { generation: 2 })])), [event(2, 'left', 'a', 'absent')]);
  assert.deepEqual(names(state, 3), ['a']);
  assert.equal(state.seq, 2);
});

test('suspect_untilRecovered_keepsItsLease', () => {
  const suspect = all(adopt(empty(), roster(1, [entry('a')])), [
    event(2, 'suspected', 'a', 'suspect', { at: at(11) }),
  ]);
  assert.equal(suspect.entries.get('s-a').state, 'suspect');
  assert.equal(suspect.entries.get('s-a').leaseUntil, at(15));
  assert.equal(suspect.entries.get('s-a').suspectAt, at(11));
  const back = all(suspect, [event(3, 'recovered', 'a', 'present', { prior: 'suspect' })]);
  assert.equal(back.entries.get('s-a').leaseUntil, at(18));
  assert.equal(back.entries.get('s-a').suspectAt, undefined);
});

test('recovery_fromSuspect_neverShortensTheLease', () => {
  const state = all(adopt(empty(), roster(1, [entry('a', { state: 'suspect', leaseUntil: at(40) })])), [
    event(2, 'recovered', 'a', 'present', { prior: 'suspect' }),
  ]);
  assert.equal(state.entries.get('s-a').leaseUntil, at(40));
});

test('suspension_andReturn_switchBetweenTheTwoLeases', () => {
  const suspended = all(adopt(empty(), roster(1, [entry('a')])), [event(2, 'suspended', 'a', 'suspended')]);
  assert.equal(suspended.entries.get('s-a').leaseUntil, at(122));
  const back = all(suspended, [event(3, 'recovered', 'a', 'present', { prior: 'suspended' })]);
  assert.equal(back.entries.get('s-a').leaseUntil, at(18));
});

test('shadowEvent_ofAnExpiry_advancesWithoutRemoving', () => {
  const before = adopt(empty(), roster(1, [entry('a')]));
  const { state, outcome } = apply(before, event(2, 'expired', 'a', 'absent', { shadow: true }));
  assert.equal(outcome, 'applied');
  assert.equal(state.seq, 2);
  assert.equal(state.entries.size, 1);
});

test('lapsedLease_isHiddenFromItsVeryInstant', () => {
  const state = adopt(empty(), roster(1, [entry('a')]));
  assert.deepEqual(names(state, 14.999), ['a']);
  assert.deepEqual(names(state, 15), []);
  assert.equal(lapsed(state, now(15)), 1);
});

for (const stage of ['shadow', 'fencing']) {
  test(`lapsedLease_inStage_${stage}_isStillShown`, () => {
    const state = adopt(empty(), roster(1, [entry('a')], { stage }));
    assert.deepEqual(names(state, 60), ['a']);
    assert.equal(lapsed(state, now(60)), 0);
  });
}

test('serversClock_notYetKnown_hidesNobody', () => {
  assert.equal(shown(adopt(empty(), roster(1, [entry('a')])), NaN).length, 1);
});

test('roster_newerThanTheEvents_replacesAndMakesThemDuplicates', () => {
  const state = adopt(all(empty(), [event(1, 'joined', 'a', 'present')]), roster(3, [entry('b')], { asOf: at(3) }));
  assert.deepEqual(names(state, 4), ['b']);
  assert.equal(apply(state, event(2, 'joined', 'b', 'present')).outcome, 'duplicate');
  assert.equal(apply(state, event(4, 'left', 'b', 'absent')).outcome, 'applied');
});

test('roster_olderThanTheEvents_onlyBringsLeasesUpToDate', () => {
  const before = all(adopt(empty(), roster(1, [entry('a'), entry('b')])), [event(2, 'left', 'b', 'absent')]);
  const state = adopt(before, roster(1, [entry('a', { leaseUntil: at(20) }), entry('b')], { asOf: at(5) }));
  assert.equal(state.seq, 2);
  assert.deepEqual(names(state, 6), ['a']);
  assert.equal(state.entries.get('s-a').leaseUntil, at(20));
});

test('roster_readBeforeARenewalsReply_doesNotTurnTheLeaseBack', () => {
  const reply = { session: 's-a', generation: 1, state: 'present', leaseUntil: at(25), serverTime: at(10) };
  const state = adopt(renewed(adopt(empty(), roster(1, [entry('a')])), reply), roster(1, [entry('a')], { asOf: at(9) }));
  assert.equal(state.entries.get('s-a').leaseUntil, at(25));
});

test('roster_newerThanARenewalsReply_wins_evenWithAShorterLease', () => {
  const reply = { session: 's-a', generation: 1, state: 'present', leaseUntil: at(25), serverTime: at(10) };
  const read = roster(1, [entry('a', { leaseUntil: at(20) })], { asOf: at(11) });
  const state = adopt(renewed(adopt(empty(), roster(1, [entry('a')])), reply), read);
  assert.equal(state.entries.get('s-a').leaseUntil, at(20));
});

test('renewal_ofAnotherGenerationOrAnUnknownSession_changesNothing', () => {
  const before = adopt(empty(), roster(1, [entry('a', { generation: 2 })]));
  const reply = { session: 's-a', generation: 1, state: 'present', leaseUntil: at(99), serverTime: at(10) };
  assert.equal(renewed(before, reply), before);
  assert.equal(renewed(before, { ...reply, session: 's-x' }), before);
});

test('closing_seenInARosterFirst_isStillTakenFromTheLateEvent', () => {
  const before = adopt(empty(), roster(9, []));
  const closed = { id: 'e-9', room: 'r', seq: 9, type: 'room.closed', next: 'closed', at: at(9) };
  const { state, outcome } = apply(before, closed);
  assert.equal(outcome, 'duplicate');
  assert.equal(state.roomState, 'closed');
  assert.equal(apply(state, { ...closed, seq: 8, type: 'room.closing', next: 'closing' }).state.roomState, 'closed');
});

test('leases_areDue_onceAHeartbeatMustHaveComeOrTheEndIsNear', () => {
  const state = adopt(empty(), roster(1, [entry('a')]));
  assert.equal(leasesDue(state, now(4.9), null), false);
  assert.equal(leasesDue(state, now(5.1), null), true);
  assert.equal(leasesDue(state, now(5.1), 's-a'), false);
  assert.equal(leasesDue(state, now(10.1), 's-a'), true);
  const suspended = adopt(empty(), roster(1, [entry('a', { state: 'suspended', leaseUntil: at(120) })]));
  assert.equal(leasesDue(suspended, now(60), null), false);
});

test('entries_areShownInOrderOfJoining', () => {
  const state = adopt(empty(), roster(1, [entry('c', { joinedAt: at(2) }), entry('b'), entry('a')]));
  assert.deepEqual(names(state, 3), ['a', 'b', 'c']);
});

test('remaining_ofALapsedLease_isZero', () => {
  assert.equal(remaining(entry('a'), now(10)), 5000);
  assert.equal(remaining(entry('a'), now(99)), 0);
});

test('roster_ofShuffledRepeatedDeliveries_convergesToTheServers', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e6);
  console.log(`seed ${seed}`);
  const random = generator(seed);
  for (let run = 0; run < 200; run++) {
    const server = history(random, 40);
    let client = empty();
    let sent = 0;
    while (client.seq < server.length) {
      // A connection resumes where the client says, repeats a little, loses one now and then, and breaks off.
      const from = Math.max(0, client.seq - Math.floor(random() * 3));
      const until = Math.min(server.length, from + 1 + Math.floor(random() * 10));
      for (const next of server.slice(from, until).filter(() => random() > 0.05)) {
        const { state, outcome } = apply(client, next);
        client = outcome === 'gap' ? adopt(state, rosterAt(server, Math.min(server.length, next.seq))) : state;
      }
      assert.ok(++sent < 2000, 'does not converge');
    }
    const expected = rosterAt(server, server.length).entries.map((each) => [each.session, each.generation, each.state]);
    const actual = [...client.entries.values()].map((each) => [each.session, each.generation, each.state]);
    assert.deepEqual(actual.sort(), expected.sort());
  }
});

const NEXT = { suspected: 'suspect', suspended: 'suspended', left: 'absent', expired: 'absent', removed: 'absent' };

function history(random, length) {
  const people = new Map(['a', 'b', 'c'].map((name) => [name, { generation: 0, state: 'absent' }]));
  return Array.from({ length }, (_, index) => {
    const name = ['a', 'b', 'c'][Math.floor(random() * 3)];
    const person = people.get(name);
    const moves = {
      absent: ['joined'],
      present: ['reconnected', 'suspected', 'suspended', 'left', 'expired', 'removed'],
      suspect: ['reconnected', 'recovered', 'suspended', 'left', 'expired'],
      suspended: ['reconnected', 'recovered', 'left', 'expired'],
    }[person.state];
    const type = moves[Math.floor(random() * moves.length)];
    const next = NEXT[type] ?? 'present';
    if (type === 'joined' || type === 'reconnected') person.generation++;
    person.state = next;
    return event(index + 1, type, name, next, { generation: person.generation });
  });
}

function rosterAt(events, seq) {
  const entries = new Map();
  for (const each of events.slice(0, seq)) {
    if (each.next === 'absent') entries.delete(each.session);
    else entries.set(each.session, entry(each.participant, { generation: each.generation, state: each.next }));
  }
  return roster(seq, [...entries.values()], { asOf: at(seq) });
}

function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
