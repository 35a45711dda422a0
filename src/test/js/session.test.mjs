import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Problem, Unreachable } from '../../main/webapp/client/problem.js';
import { Session } from '../../main/webapp/client/session.js';

const ROOM = 'r-1';
const problem = (status, code) => new Problem(status, { code, detail: `${code}.` });

/** A server with one session, whose next replies can be replaced by failures. */
class FakeApi {
  calls = [];
  failures = [];
  generation = 0;
  clock = { local: () => 0 };

  async join(room, key) {
    this.#answer('join', { key });
    const generation = ++this.generation;
    return { ...this.#lease('present'), generation, session: 's-1', heartbeatSeconds: 5, leaseSeconds: 15 };
  }

  async renew(room, session, order) {
    this.#answer('renew', order);
    return this.#lease('present');
  }

  async suspend(room, session, order) {
    this.#answer('suspend', order);
    return this.#lease('suspended');
  }

  async leave(room, session, generation) {
    this.#answer('leave', { generation });
  }

  #answer(call, detail) {
    this.calls.push({ call, ...detail });
    const at = this.failures.findIndex((each) => each.call === call);
    if (at >= 0) throw this.failures.splice(at, 1)[0].error;
  }

  #lease(state) {
    return { state, leaseUntil: '2025-01-01T08:00:15.000Z', serverTime: '2025-01-01T08:00:00.000Z' };
  }
}

let api;
let session;

const fail = (call, error) => api.failures.push({ call, error });
const made = (call) => api.calls.filter((each) => each.call === call);
const settle = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};
const pass = async (ms) => {
  for (let passed = 0; passed < ms; passed += 250) {
    mock.timers.tick(250);
    await settle();
  }
};
const own = (type, generation, fields = {}) => ({ type: `participant.${type}`, participant: 'me', generation, ...fields });

beforeEach(async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  api = new FakeApi();
  session = new Session(api, ROOM, 'me');
});

afterEach(() => {
  session.drop();
  mock.timers.reset();
});

test('joined_session_renewsEveryHeartbeatWithAGrowingCounter', async () => {
  await session.join();
  await pass(16_000);
  assert.deepEqual(made('renew').map((each) => [each.generation, each.counter]), [[1, 1], [1, 2], [1, 3]]);
});

test('join_withLostReplies_isRetriedWithTheSameKey', async () => {
  fail('join', new Unreachable('gone'));
  fail('join', problem(503, 'unavailable'));
  const joining = session.join();
  await settle();
  assert.equal(session.trouble.detail, 'gone');
  await pass(3000);
  await joining;
  assert.equal(session.state, 'in');
  assert.equal(session.trouble, null);
  assert.equal(new Set(made('join').map((each) => each.key)).size, 1);
  assert.equal(made('join').length, 3);
});

test('join_pressedAgain_takesAFreshKey', async () => {
  await session.join();
  await session.join();
  assert.equal(session.membership.generation, 2);
  assert.equal(new Set(made('join').map((each) => each.key)).size, 2);
});

test('join_refused_endsWithTheRefusal', async () => {
  fail('join', problem(409, 'room-full'));
  await session.join();
  assert.deepEqual([session.state, session.ending, session.refusal.code], ['ended', 'refused', 'room-full']);
});

test('renewal_answeredLeaseExpired_joinsAgain', async () => {
  await session.join();
  fail('renew', problem(410, 'lease-expired'));
  await pass(5000);
  assert.equal(session.state, 'in');
  assert.equal(session.membership.generation, 2);
  await pass(5000);
  assert.deepEqual(made('renew').at(-1), { call: 'renew', generation: 2, counter: 1 });
});

for (const [code, status, ending] of [
  ['stale-generation', 409, 'elsewhere'],
  ['session-ended', 410, 'ended'],
  ['room-closing', 409, 'room-closed'],
  ['room-closed', 409, 'room-closed'],
  ['session-not-found', 404, 'refused'],
]) {
  test(`renewal_answered_${code}_endsAndStaysEnded`, async () => {
    await session.join();
    fail('renew', problem(status, code));
    await pass(30_000);
    assert.deepEqual([session.state, session.ending], ['ended', ending]);
    assert.equal(made('renew').length, 1);
    assert.equal(made('join').length, 1);
  });
}

for (const error of [new Unreachable('gone'), problem(503, 'unavailable'), problem(500, 'internal-error')]) {
  test(`renewal_failedBy_${error.code ?? error.name}_isTriedAgainWithinAHeartbeat`, async () => {
    await session.join();
    fail('renew', error);
    await pass(5000);
    assert.equal(session.trouble.detail, error.message);
    await pass(1000);
    assert.equal(made('renew').length, 2);
    assert.equal(session.trouble, null);
    assert.equal(session.state, 'in');
  });
}

test('suspended_session_renewsNoMoreUntilResumed', async () => {
  await session.join();
  await session.suspend();
  await pass(30_000);
  assert.equal(made('renew').length, 0);
  assert.equal(session.membership.state, 'suspended');
  session.resume();
  await settle();
  mock.timers.tick(0);
  await settle();
  assert.equal(made('renew').length, 1);
  assert.ok(made('renew')[0].counter > made('suspend')[0].counter);
});

test('suspension_retried_keepsItsCounter', async () => {
  await session.join();
  fail('suspend', new Unreachable('gone'));
  const suspending = session.suspend();
  await pass(1000);
  await suspending;
  assert.deepEqual(made('suspend').map((each) => each.counter), [1, 1]);
});

test('suspension_thatNeverArrives_goesBackToRenewing', async () => {
  await session.join();
  for (let count = 0; count < 4; count++) fail('suspend', new Unreachable('gone'));
  session.suspend();
  await pass(8000);
  assert.equal(session.state, 'in');
  assert.ok(made('renew').length >= 1);
});

test('dropped_session_isSilentAndLearnsOfItsExpiry', async () => {
  await session.join();
  session.drop();
  await pass(30_000);
  assert.equal(made('renew').length, 0);
  session.heard(own('suspected', 1));
  assert.equal(session.state, 'dropped');
  session.heard(own('expired', 1));
  assert.deepEqual([session.state, session.ending], ['ended', 'expired']);
});

test('leave_ofAMember_isSentOnceWithItsGeneration', async () => {
  await session.join();
  await session.leave();
  await session.leave();
  assert.deepEqual(made('leave'), [{ call: 'leave', generation: 1 }]);
  assert.equal(session.ending, 'left');
});

test('leave_whileTheJoinIsUnderWay_givesBackWhatItGrants', async () => {
  const joining = session.join();
  session.leave();
  await joining;
  await settle();
  assert.equal(session.ending, 'left');
  assert.deepEqual(made('leave'), [{ call: 'leave', generation: 1 }]);
});

test('event_ofANewerGeneration_meansJoinedElsewhere', async () => {
  await session.join();
  session.heard(own('reconnected', 2));
  assert.equal(session.ending, 'elsewhere');
});

test('event_ofTheOwnJoin_beforeItsReply_isNotElsewhere', async () => {
  const joining = session.join();
  session.heard(own('joined', 1));
  await joining;
  assert.equal(session.state, 'in');
});

test('event_ofANewerJoin_beforeTheReplyOfTheOwn_meansElsewhere', async () => {
  const joining = session.join();
  session.heard(own('joined', 1));
  session.heard(own('reconnected', 2));
  await joining;
  assert.equal(session.ending, 'elsewhere');
});

test('event_ofAnOlderGenerationOrAnotherOrOfTheShadow_changesNothing', async () => {
  await session.join();
  await session.join();
  session.heard(own('left', 1));
  session.heard({ ...own('left', 2), participant: 'other' });
  session.heard(own('expired', 2, { shadow: true }));
  assert.equal(session.state, 'in');
});

test('removal_heardAfterTheRefusal_makesTheReasonPrecise', async () => {
  await session.join();
  fail('renew', problem(410, 'session-ended'));
  await pass(5000);
  assert.equal(session.ending, 'ended');
  session.heard(own('removed', 1, { reason: 'operator' }));
  assert.equal(session.ending, 'operator');
  session.heard(own('joined', 2));
  assert.equal(session.ending, 'operator');
});

test('removal_becauseTheRoomCloses_saysSo', async () => {
  await session.join();
  session.heard(own('removed', 1, { reason: 'room-closed' }));
  assert.equal(session.ending, 'room-closed');
});

test('lease_byTheServersClock_isOverdueAfterAHeartbeat_andLapsedAtItsEnd_untilItIsOver', async () => {
  const now = (seconds) => Date.parse('2025-01-01T08:00:00.000Z') + seconds * 1000;
  assert.deepEqual([session.lapsed(now(99)), session.overdue(now(99))], [false, false]);
  await session.join();
  assert.deepEqual([session.lapsed(now(6)), session.overdue(now(6))], [false, false]);
  assert.deepEqual([session.lapsed(now(9)), session.overdue(now(9))], [false, true]);
  assert.deepEqual([session.lapsed(now(15)), session.overdue(now(15))], [true, true]);
  session.drop();
  assert.deepEqual([session.lapsed(now(15)), session.overdue(now(15))], [true, false]);
  await session.leave();
  assert.equal(session.lapsed(now(15)), false);
});
