import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asHeader } from '../../main/webapp/console/admin.js';
import { ceiling, figure, path, strongest } from '../../main/webapp/console/chart.js';
import { figuresOf } from '../../main/webapp/console/figures.js';
import { apply, merge, renew } from '../../main/webapp/console/roster.js';
import { format, parse } from '../../main/webapp/console/router.js';
import { startTicking, told } from '../../main/webapp/console/ticker.js';
import { audioWords, bytes, duration, failureWords, kindWords, left, mediaWords, passed, plural, stamp, witnessWords } from '../../main/webapp/console/words.js';

const NOW = Date.parse('2026-11-30T08:00:00.000Z');
const at = (seconds) => new Date(NOW + seconds * 1000).toISOString();
const member = (session, generation = 1, state = 'present') => ({ session, generation, state });
const event = (seq, session, next, generation = 1) => ({ seq, session, next, generation, at: at(0) });

test('address_ofAView_isReadAsItWasWritten', () => {
  const params = { q: 'Übergabe & 50 %', state: 'open' };
  assert.deepEqual(parse(format('rooms', { params })), { view: 'rooms', id: '', params });
  assert.deepEqual(parse(format('room', { id: 'r/ä?#' })), { view: 'room', id: 'r/ä?#', params: {} });
});

test('address_withoutValues_namesNone', () => {
  assert.equal(format('rooms', { params: { q: '', cursor: undefined, team: null } }), '#/rooms');
});

test('address_brokenOrEmpty_isTheFirstView', () => {
  assert.deepEqual(parse(''), { view: 'alerts', id: '', params: {} });
  assert.deepEqual(parse('#/room/%E0%A4%A'), { view: 'room', id: '', params: {} });
});

test('duration_ofAnyLength_isCutAndNeverRoundedUp', () => {
  const said = [0, 59.9, 119, 120, 3599, 3600, 5400, 172_799, 172_800].map(duration);
  assert.deepEqual(said, ['0 s', '59 s', '119 s', '2 min', '59 min', '1 h', '1 h 30 min', '47 h 59 min', '2 days']);
  assert.equal(duration(-3), '0 s');
});

test('lease_runningAndRunOut_isToldByTheServersClock', () => {
  assert.equal(left(at(12), NOW), '12 s left');
  assert.equal(left(at(0.4), NOW), '1 s left');
  assert.equal(left(at(0), NOW), 'ran out 0 s ago');
  assert.equal(left(at(-130), NOW), 'ran out 2 min ago');
  assert.equal(passed(at(-8), NOW), '8 s ago');
});

test('stamp_ofAMoment_isTheReadersOwnTime', () => {
  const local = new Date(2026, 0, 2, 3, 4, 5);
  assert.equal(stamp(local.toISOString()), '2026-01-02 03:04:05');
});

test('words_ofFigures_haveTheirUnits', () => {
  assert.deepEqual([bytes(1023), bytes(1536), bytes(3 * 1024 * 1024)], ['1023 B', '1.5 KiB', '3.0 MiB']);
  assert.deepEqual([plural(1, 'session'), plural(0, 'session')], ['1 session', '0 sessions']);
  assert.equal(kindWords('media_without_lease'), 'media without a lease');
  assert.equal(kindWords('stale_generation'), 'stale generation');
});

test('media_ofAMember_saysWhetherSoundFlows', () => {
  assert.equal(mediaWords(undefined), 'no report');
  assert.equal(mediaWords({ state: 'connected', flowing: false, rttMs: 40 }), 'silent · 40 ms');
  assert.equal(mediaWords({ state: 'failed' }), 'failed');
});

test('audio_ofAMember_isTheLatestThatAnybodySays', () => {
  const media = { state: 'connected', flowing: true, rttMs: 40 };
  assert.equal(audioWords({ media, evidence: { source: 'sfu-1', says: 'silent' } }), 'silent · 40 ms');
  assert.equal(audioWords({ evidence: { source: 'sfu-1', says: 'gone' } }), 'gone');
  assert.equal(audioWords({ media: { state: 'connected' } }), 'connected');
  assert.equal(audioWords({}), 'no report');
  assert.equal(witnessWords({ source: 'sfu-1' }), 'seen by sfu-1');
  assert.equal(witnessWords({}), 'its own report');
});

test('failure_ofAViewThatIsNotServed_saysSoPlainly', () => {
  const missing = { status: 404, code: 'not-found', message: 'No resource has this path.' };
  assert.match(failureWords(missing, 'alerts'), /does not serve alerts: the address answered 404/);
  assert.match(failureWords({ status: 403, message: 'x' }, 'alerts'), /Only operators/);
  assert.equal(failureWords({ status: 404, code: 'room-not-found', message: 'No such room' }, 'rooms'), 'No such room');
});

test('reason_inAnyAlphabet_isAHeaderOfBytes', () => {
  const header = asHeader('  Störung – 病棟\n bestätigt ');
  assert.ok([...header].every((letter) => letter.charCodeAt(0) < 256));
  assert.equal(new TextDecoder().decode(Uint8Array.from(header, (letter) => letter.charCodeAt(0))), 'Störung – 病棟 bestätigt');
});

test('roster_afterAnEvent_showsTheTransitionAtOnce', () => {
  const before = [member('a'), member('b')];
  const suspected = apply(before, event(5, 'a', 'suspect'));
  assert.equal(suspected.members[0].state, 'suspect');
  assert.equal(suspected.members[0].suspectAt, at(0));
  assert.equal(before[0].state, 'present');
  const back = apply(suspected.members, event(6, 'a', 'present', 2));
  assert.deepEqual(back.members[0], { ...member('a', 2) });
  assert.deepEqual(apply(before, event(7, 'b', 'absent')).members, [member('a')]);
});

test('roster_afterAnEventOfAnOlderGeneration_staysAsItIs', () => {
  const before = [member('a', 3)];
  assert.equal(apply(before, event(9, 'a', 'suspect', 2)).members, before);
});

test('roster_afterSomebodyNewOrTheRoomItself_asksTheServer', () => {
  assert.deepEqual(apply([], event(2, 'a', 'present')), { members: [], incomplete: true });
  assert.equal(apply([member('a')], { seq: 3, next: 'closing', at: at(0) }).incomplete, true);
});

test('roster_afterAnExpiryThatWasOnlyComputed_keepsTheMember', () => {
  const before = [member('a')];
  assert.deepEqual(apply(before, { ...event(4, 'a', 'absent'), shadow: true }), { members: before, incomplete: false });
});

test('timeline_ofOverlappingReadings_holdsEachEventOnceNewestFirst', () => {
  const merged = merge([event(3, 'a', 'present'), event(2, 'a', 'present')], [event(2, 'a', 'present'), event(4, 'a', 'absent')]);
  assert.deepEqual(merged.map((each) => each.seq), [4, 3, 2]);
});

const overview = {
  asOf: at(0), sweptAt: at(-0.2), rooms: { open: 4, closing: 0, closed: 9 },
  sessions: { present: 7, suspect: 0, suspended: 1 }, alerts: { investigate: 0, page: 0 }, driftingRooms: 0, oldestUnrenewedSeconds: 4,
};
const figureOf = (changed, id) => figuresOf({ ...overview, ...changed }).find((each) => each.id === id);

test('figures_ofACalmDeployment_askForNoLook', () => {
  assert.ok(figuresOf(overview).every(({ look }) => look === ''));
  assert.equal(figureOf({}, 'oldest').value, '4 s');
  assert.equal(figureOf({ oldestUnrenewedSeconds: undefined }, 'oldest').value, '–');
});

test('figures_ofTrouble_askForALook', () => {
  assert.equal(figureOf({ alerts: { investigate: 2, page: 0 } }, 'alerts').look, 'warn');
  assert.deepEqual(figureOf({ alerts: { investigate: 2, page: 1 } }, 'alerts'), { id: 'alerts', label: 'Open alerts', value: '3', look: 'bad' });
  assert.deepEqual(figureOf({ sweptAt: at(-90) }, 'sweep').value, '90 s ago');
  assert.equal(figureOf({ sweptAt: at(-90) }, 'sweep').look, 'bad');
});

test('chart_ofValues_hasARoundTopThatHoldsThem', () => {
  assert.deepEqual([0, 0.03, 1, 7, 10, 11, 201].map(ceiling), [1, 0.05, 1, 10, 10, 20, 500]);
});

test('chart_withoutAValue_hasAGapAndNoZero', () => {
  const drawn = path([1, null, 1, 0], 1);
  assert.equal(drawn.match(/M/g).length, 2);
  assert.equal(drawn.match(/L/g).length, 1);
});

test('chart_ofManyLines_drawsThoseWithTheLargestValues', () => {
  const lines = [{ name: 'a', values: [1] }, { name: 'b', values: [null, 9] }, { name: 'c', values: [] }];
  assert.deepEqual(strongest(lines, 2).map(({ name }) => name), ['a', 'b']);
});

test('figure_ofAnySize_isShort', () => {
  assert.deepEqual([figure(null), figure(12), figure(0.123456), figure(1234.56)], ['–', '12', '0.123', '1235']);
});

test('time_justWritten_isToldAtOnceAndKeptUpToDate', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  let now = NOW;
  const nodes = [told({ dataset: { since: at(-5) }, textContent: '' })];
  assert.equal(nodes[0].textContent, '', 'without a clock nothing is said');
  globalThis.document = { hidden: false, querySelectorAll: () => nodes };
  try {
    startTicking({ now: () => now });
    nodes.push(told({ dataset: { until: at(1) }, textContent: '' }));
    assert.deepEqual(nodes[1], { dataset: { until: at(1), over: 'false' }, textContent: '1 s left' });
    now += 2000;
    context.mock.timers.tick(500);
    assert.equal(nodes[0].textContent, '7 s ago');
    assert.deepEqual(nodes[1], { dataset: { until: at(1), over: 'true' }, textContent: 'ran out 1 s ago' });
  } finally {
    delete globalThis.document;
  }
});

test('timeline_withAHole_beginsAnew', () => {
  const events = (...seqs) => seqs.map((seq) => ({ seq }));
  assert.deepEqual(renew([], events(9, 8)), { events: events(9, 8), hole: false });
  assert.deepEqual(renew(events(7, 6), events(9, 8)), { events: events(9, 8, 7, 6), hole: false });
  assert.deepEqual(renew(events(7, 6), events(8, 7)), { events: events(8, 7, 6), hole: false });
  assert.deepEqual(renew(events(7, 6), events(10, 9)), { events: events(10, 9), hole: true });
  assert.deepEqual(renew(events(7, 6), []), { events: events(7, 6), hole: false });
});
