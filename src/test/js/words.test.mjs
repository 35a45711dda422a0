import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addEvents } from '../../main/webapp/client/timeline.js';
import {
  again,
  ago,
  audioWords,
  eventDetail,
  eventWords,
  initials,
  microphoneWords,
  rosterNote,
  sentence,
  sessionWords,
  shownStatus,
  statusWords,
  troubleWords,
} from '../../main/webapp/page/words.js';

const nameOf = (participant) => participant;
const event = (seq) => ({ id: `e-${seq}`, seq });

test('timeline_ofOverlappingReadings_holdsEachEventOnceInOrder', () => {
  const once = addEvents([], [event(2), event(1)], 10);
  const twice = addEvents(once, [event(2), event(3), event(3)], 10);
  assert.deepEqual(twice.map((each) => each.seq), [1, 2, 3]);
  assert.equal(addEvents(twice, [event(1)], 10), twice);
});

test('timeline_pastItsLimit_keepsTheLatest', () => {
  const long = addEvents([], Array.from({ length: 9 }, (_, index) => event(index + 1)), 3);
  assert.deepEqual(long.map((each) => each.seq), [7, 8, 9]);
});

test('event_unknownToThePage_isNamedAsItIs', () => {
  assert.equal(eventWords({ type: 'participant.waved', participant: 'a' }, nameOf), 'a participant.waved');
});

test('event_computedOnly_saysSo', () => {
  const type = 'participant.expired';
  const expired = { type, participant: 'a', shadow: true, seq: 4, generation: 2, reason: 'node-lost' };
  assert.match(eventWords(expired, nameOf), /^a is out.*\(computed only\)$/);
  assert.equal(eventDetail(expired), 'node lost · generation 2 · #4');
});

test('session_afterEachEnding_saysWhy', () => {
  const ended = (ending, refusal) => sessionWords({ state: 'ended', ending, refusal });
  const endings = ['left', 'left-elsewhere', 'elsewhere', 'expired', 'operator', 'disconnected', 'room-closed', 'ended'];
  for (const ending of endings) {
    assert.match(ended(ending), /^(You|Your|An|The|Joined) .*\.$/, ending);
  }
  assert.equal(ended('refused', { message: 'The room is full.' }), 'The room is full.');
  assert.match(ended('ended', { message: 'Removed.' }), /Removed\.$/);
});

test('status_whileUnavailable_saysWhenTheNextTryIs', () => {
  assert.equal(statusWords({ kind: 'unavailable' }), 'Server says unavailable');
  assert.equal(again(5000, 2100), 'trying again in 3 s');
  assert.equal(again(5000, 5000), 'trying again now');
});

test('detail_howeverSpelt_isShownAsASentence', () => {
  assert.equal(sentence('the node is draining; try again'), 'The node is draining; try again.');
  assert.equal(sentence('Already one.'), 'Already one.');
  assert.equal(sentence(' '), '');
  const trouble = { refused: true, detail: 'no database', retryAt: 3000 };
  assert.equal(troubleWords(trouble, 0), 'Server says unavailable. No database. Trying again in 3 s.');
});

test('rosterNote_countsTheUnconfirmed_onlyWithoutAConnection', () => {
  const note = (kind, unconfirmed) => rosterNote({ stage: 'alerting', unconfirmed, status: { kind } });
  assert.equal(note('live', 2), '');
  assert.equal(note('reconnecting', 0), '');
  assert.match(note('reconnecting', 1), /^One person cannot/);
  assert.match(note('unavailable', 2), /^2 people cannot/);
  assert.match(rosterNote({ stage: 'shadow', unconfirmed: 0, status: { kind: 'live' } }), /shadow/);
});

test('ago_isNeverInTheFuture', () => {
  const now = Date.parse('2025-01-01T08:00:00Z');
  assert.equal(ago('2025-01-01T08:00:30Z', now), 'just now');
  assert.equal(ago('2025-01-01T07:15:00Z', now), '45 min ago');
  assert.equal(ago('2025-01-01T03:00:00Z', now), '5 h ago');
  assert.equal(ago('2024-12-28T03:00:00Z', now), '4 days ago');
});

test('session_onALineThatIsDown_saysReconnecting_andAfterAnAbsenceThatTheOthersSawIt', () => {
  const here = { state: 'in', membership: { generation: 2, heartbeatSeconds: 5 } };
  assert.match(sessionWords({ ...here, line: 'up' }), /^Present as generation 2/);
  assert.match(sessionWords({ ...here, line: 'down' }), /^Reconnecting… Present/);
  assert.match(sessionWords({ ...here, line: 'up', returned: true }), /saw you go\. You are back\. Present/);
});

test('microphone_thatIsNotThere_saysThatOneListensOnly_andWhy', () => {
  for (const state of ['denied', 'missing', 'busy', 'lost', 'unsupported']) {
    assert.match(microphoneWords({ state, muted: false }, heardBy()), /^You are listening only: .+\.$/, state);
  }
});

const heardBy = (changes = {}) => {
  const all = { state: 'in', reconnecting: false, others: 1, connected: 1, interrupted: 0, suspended: 0 };
  return { ...all, ...changes };
};

test('microphone_isSaidToBeHeard_onlyWhilePresentUnmutedAndConnected', () => {
  const said = (changes, muted = false) => microphoneWords({ state: 'on', muted }, heardBy(changes));
  assert.equal(said(), 'The others hear you.');
  assert.equal(said({ others: 3, connected: 2 }), '2 of 3 others hear you.');
  assert.equal(said({}, true), 'Muted: nobody hears you.');
  assert.match(said({ state: 'joining' }), /may not hear you yet/);
  assert.match(said({ reconnecting: true }), /^Reconnecting: the others may not hear you/);
  assert.equal(said({ reconnecting: true, connected: 0 }), 'Nobody hears you: reconnecting.');
  assert.equal(said({ others: 0, connected: 0 }), 'Nobody else is here yet.');
  assert.match(said({ others: 0, connected: 0, suspended: 2 }), /the others are suspended/);
  assert.match(said({ connected: 0 }), /^Connecting audio…/);
  assert.match(said({ connected: 0, interrupted: 1 }), /^Nobody hears you: reconnecting audio/);
});

test('microphone_whileSuspendedOrSilent_isSaidToBeOff_whateverItsState', () => {
  for (const state of ['on', 'off', 'denied']) {
    assert.match(microphoneWords({ state, muted: false }, heardBy({ state: 'suspended' })), /^Suspended: nobody hears you/);
    assert.match(microphoneWords({ state, muted: false }, heardBy({ state: 'dropped' })), /^Silent: nobody hears you/);
  }
});

test('session_whoseLeaseRanOut_isNotSaidToBePresent', () => {
  const membership = { generation: 2, heartbeatSeconds: 5, serverTime: '2025-01-01T08:00:00Z' };
  for (const state of ['in', 'suspended', 'dropped']) {
    const said = sessionWords({ state, membership, line: 'up' }, { lapsed: true });
    assert.match(said, /your lease has run out, and the others may not see you any more\.$/i);
    assert.doesNotMatch(said, /Present/);
  }
});

test('session_notRenewedInTime_saysSinceWhen', () => {
  const membership = { generation: 2, heartbeatSeconds: 5, serverTime: '2025-01-01T08:00:07Z' };
  const said = sessionWords({ state: 'in', membership, line: 'up' }, { overdue: true });
  assert.match(said, /^Reconnecting… Present as generation 2, not renewed since .*00:07\.$/);
});

test('status_isLive_onlyWhileTheServerIsHeardAndTheListHolds', () => {
  const live = { kind: 'live' };
  const shown = (changes) => shownStatus(live, { line: 'up', silentMs: 0, people: 2, unconfirmed: 0, ...changes });
  assert.equal(shown({}), live);
  assert.equal(shown({ line: 'none', people: 0 }), live);
  assert.equal(shown({ unconfirmed: 1 }), live);
  assert.equal(shown({ line: 'down' }).kind, 'reconnecting');
  assert.equal(shown({ silentMs: 11_000 }).kind, 'silent');
  assert.equal(shown({ people: 0, unconfirmed: 2 }).kind, 'unconfirmed');
  const closed = { kind: 'closed' };
  assert.equal(shownStatus(closed, { silentMs: 60_000 }), closed);
});

test('rosterNote_ofAListThatCannotBeConfirmed_saysSo', () => {
  const note = (kind, people, unconfirmed = 0) => rosterNote({ stage: 'alerting', people, unconfirmed, status: { kind } });
  assert.match(note('silent', 2), /nothing has been heard from the server/);
  assert.match(note('unconfirmed', 0, 2), /every known lease has run out/);
  assert.match(note('reconnecting', 0), /cannot be confirmed/);
  assert.equal(note('live', 0), '');
});

test('initials_ofANameInParts_areTheFirstAndTheLastPartsFirstLetter', () => {
  assert.equal(initials('clinician-aaaa'), 'CA');
  assert.equal(initials('clinician-bbbb'), 'CB');
  assert.equal(initials('É. Núñez'), 'ÉN');
  assert.equal(initials('maria del carmen_ruiz'), 'MR');
  assert.equal(initials('nurse-7'), 'N7');
  assert.equal(initials('-anna-lind-'), 'AL');
});

test('initials_ofANameInOnePart_areItsFirstTwoCharacters', () => {
  assert.equal(initials('observer'), 'OB');
  assert.equal(initials('(x)'), 'X');
  assert.equal(initials('e\u0301va'), 'ÉV');
  assert.equal(initials('𝒜𝒷𝒸'), '𝒜𝒷');
  assert.equal(initials('–'), '');
  assert.equal(initials(''), '');
});

test('audio_ofSomebody_isToldInWords', () => {
  assert.equal(audioWords({ audio: 'connected', quality: 'good', stats: { rttMs: 12 } }), 'Good sound · 12 ms');
  assert.equal(audioWords({ audio: 'connected', quality: 'none', stats: { rttMs: null } }), 'No sound arrives');
  assert.equal(audioWords({ audio: 'connected', quality: null }), 'Audio connected');
  assert.equal(audioWords({ audio: 'connected', quality: 'none', listensOnly: true }), 'Listening only');
  assert.equal(audioWords({ audio: 'connected', quality: 'good', listensOnly: true }), 'Good sound');
  assert.match(audioWords({ audio: 'failed' }), /reconnecting/);
  assert.match(audioWords({ audio: 'connecting' }), /^Connecting/);
  assert.equal(audioWords({}), 'No audio');
});
