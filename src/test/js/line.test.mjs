import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Problem, Unreachable } from '../../main/webapp/client/problem.js';
import { Session } from '../../main/webapp/client/session.js';
import { refusalOf, Stream } from '../../main/webapp/client/stream.js';
import { followSleep } from '../../main/webapp/client/wake.js';
import { Watch } from '../../main/webapp/client/watch.js';
import { FakeSocket, settle, Time } from './fakes.mjs';

/** A session together with its stream: what breaks, what follows, and what others see of it. */

const LEASE_MS = 15_000;
const problem = (status, code) => new Problem(status, { code, detail: `${code}.` });

/** The server as REST shows it: generations by key, a lease that runs out, and an outage at will. */
class FakeApi {
  calls = [];
  generation = 0;
  keys = new Map();
  leaseUntil = 0;
  ended = null;
  offline = false;
  /** The call that takes effect although no answer comes. */
  mute = null;

  constructor(time) {
    this.time = time;
    this.samples = [];
    this.clock = { local: time.now, sample: (...sample) => this.samples.push(sample) };
  }

  async join(room, key) {
    return this.#answer('join', { key }, () => {
      const known = this.keys.get(key);
      if (known && known !== this.generation) throw problem(409, 'stale-generation');
      if (known && (this.ended || this.expired())) throw problem(410, 'session-ended');
      if (!known) this.keys.set(key, ++this.generation);
      this.ended = null;
      this.#lease();
      const stream = { url: 'ws://h/stream', ticket: `t${this.calls.length}`, expiresAt: '' };
      return { session: 's-1', generation: this.generation, state: 'present', heartbeatSeconds: 5, leaseSeconds: 15, stream };
    });
  }

  async renew(room, session, order) {
    return this.#answer('renew', order, () => {
      if (order.generation !== this.generation) throw problem(409, 'stale-generation');
      if (this.expired()) throw problem(410, 'lease-expired');
      if (this.ended) throw problem(410, this.ended);
      this.#lease();
      return { state: 'present', leaseUntil: '', serverTime: '' };
    });
  }

  async suspend() {
    return { state: 'suspended', leaseUntil: '', serverTime: '' };
  }

  async media(room, session, report) {
    this.calls.push({ call: 'media', ...report });
  }

  async leave(room, session, generation) {
    this.calls.push({ call: 'leave', generation });
  }

  expired() {
    return this.time.at >= this.leaseUntil;
  }

  #lease() {
    this.leaseUntil = this.time.at + LEASE_MS;
  }

  async #answer(call, detail, act) {
    this.calls.push({ call, ...detail });
    if (this.offline) throw new Unreachable('gone');
    const answer = act();
    if (this.mute === call) throw new Unreachable('gone');
    return answer;
  }
}

let time;
let api;
let session;
let sockets;
let streams;
let visible;

const made = (call) => api.calls.filter((each) => each.call === call);
const socket = () => sockets.at(-1);
/** A server that accepts streams unless it is offline, and renews over them. */
let accepting;

async function joined() {
  await session.join();
  await settle();
}

beforeEach(async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  time = new Time();
  api = new FakeApi(time);
  sockets = [];
  streams = [];
  visible = true;
  accepting = true;
  session = new Session(api, 'r', 'me', {
    visible: () => visible,
    onStream: (stream) => streams.push(stream),
    open: (grant, told) =>
      new Stream(grant, {
        ...told,
        now: time.now,
        connect: (address, protocols) => {
          const opened = new FakeSocket(address, protocols);
          sockets.push(opened);
          opened.send = (text) => {
            const message = JSON.parse(text);
            opened.sent.push(message);
            if (!message.uRenewRequest || opened.deaf) return;
            if (!api.expired() && message.uRenewRequest.generation === api.generation) {
              api.leaseUntil = time.at + LEASE_MS;
              opened.says({ requestId: message.requestId, reply: true, uRenewResponse: { state: 'present', serverTime: '' } });
            }
          };
          queueMicrotask(() => (accepting && !api.offline ? opened.publish() : opened.breaks()));
          return opened;
        },
      }),
  });
});

afterEach(async () => {
  session.leave();
  await settle();
  mock.timers.reset();
});

test('renewal_whileTheStreamIsUp_goesOverIt_withAGrowingCounter', async () => {
  await joined();
  await time.pass(16_000);
  assert.equal(made('renew').length, 0);
  const renewals = socket().sent.filter((each) => each.uRenewRequest).map((each) => each.uRenewRequest);
  assert.deepEqual(renewals, [1, 2, 3].map((counter) => ({ session: 's-1', generation: 1, counter })));
  assert.equal(session.line, 'up');
  assert.equal(api.samples.length, 3);
});

test('streamThatBroke_isReplacedByTheNextGeneration_afterARenewalByRest', async () => {
  await joined();
  await time.pass(6000);
  socket().breaks();
  assert.equal(session.line, 'down');
  assert.equal(session.state, 'in');
  await time.pass(1000);
  assert.deepEqual(api.calls.map(({ call }) => call), ['join', 'renew', 'join']);
  assert.equal(session.membership.generation, 2);
  assert.equal(session.membership.session, 's-1');
  assert.equal(session.line, 'up');
  assert.equal(sockets.length, 2);
  assert.equal(socket().address.searchParams.get('ticket'), 't3');
});

test('offlineForFourSeconds_isTheSameSessionWithOneHigherGeneration_neverAbsent', async () => {
  await joined();
  await time.pass(7000);
  api.offline = true;
  socket().breaks();
  for (let tick = 0; tick < 16; tick++) {
    await time.pass(250);
    assert.ok(!api.expired());
    assert.equal(session.state, 'in');
  }
  api.offline = false;
  session.hurry();
  await time.pass(1000);
  assert.equal(api.generation, 2);
  assert.equal(session.line, 'up');
  assert.equal(session.returned, false);
  await time.pass(30_000);
  assert.equal(api.generation, 2);
});

test('offlineForLongerThanTheLease_comesBackByItself_andSaysSo', async () => {
  await joined();
  api.offline = true;
  socket().breaks();
  await time.pass(20_000);
  assert.equal(session.state, 'in');
  api.offline = false;
  session.hurry();
  await time.pass(1000);
  assert.equal(session.membership.generation, 2);
  assert.equal(session.returned, true);
  assert.equal(session.line, 'up');
  await time.pass(130_000, 1000);
  assert.equal(session.returned, false, 'not told for ever');
});

test('offlineForLongerThanTheLease_behindAHiddenPage_staysOutAndOffersToRejoin', async () => {
  await joined();
  api.offline = true;
  socket().breaks();
  await time.pass(20_000);
  visible = false;
  api.offline = false;
  await time.pass(6000);
  assert.deepEqual([session.state, session.ending], ['ended', 'expired']);
  assert.equal(made('join').length, 1);
  await session.join();
  assert.equal(session.returned, false);
});

test('upgradeThatFails_isTriedWithAFreshTicketOfTheSameGeneration_lessAndLessOften', async () => {
  accepting = false;
  await joined();
  await time.pass(60_000);
  assert.equal(api.generation, 1, 'nobody sees a reconnect that was none');
  assert.equal(new Set(made('join').map(({ key }) => key)).size, 1);
  assert.ok(sockets.length >= 5 && sockets.length <= 14, `${sockets.length} tries`);
  assert.ok(made('renew').length >= 11, 'renewed by REST meanwhile');
  accepting = true;
  await time.pass(16_000);
  assert.equal(session.line, 'up');
});

test('renewalThatTheStreamDoesNotAnswer_goesByRestAtOnce_andTheLineIsChecked', async () => {
  await joined();
  socket().deaf = true;
  await time.pass(8000);
  assert.equal(made('renew').length, 1);
  await time.pass(5000);
  assert.equal(session.membership.generation, 2);
  assert.equal(session.line, 'up');
});

test('renewalUnknownToAnOlderServer_goesByRest', async () => {
  await joined();
  socket().deaf = true;
  await time.pass(5000);
  socket().refuses('uRenew', 'unknown-method');
  await settle();
  assert.equal(made('renew').length, 1);
  assert.equal(session.state, 'in');
});

test('timersHeldBack_behindAnotherWindow_areMadeGoodByTheBeat_andOnlyThen', async () => {
  await joined();
  const renewals = () => socket().sent.filter((each) => each.uRenewRequest).length;
  // Time passes and no timer of the page fires.
  time.at += 6000;
  session.beat();
  mock.timers.tick(0);
  await settle();
  assert.equal(renewals(), 0);
  time.at += 1000;
  session.beat();
  mock.timers.tick(0);
  await settle();
  assert.equal(renewals(), 1);
  session.beat();
  mock.timers.tick(0);
  await settle();
  assert.equal(renewals(), 1);
});

test('takenOverWhileTheLineWasDown_isNotTakenBack', async () => {
  await joined();
  socket().breaks();
  api.generation = 2;
  await time.pass(10_000);
  assert.deepEqual([session.state, session.ending], ['ended', 'elsewhere']);
  assert.equal(made('join').length, 1);
});

test('removedWhileTheLineWasDown_doesNotComeBackUnasked', async () => {
  await joined();
  socket().breaks();
  api.ended = 'session-ended';
  await time.pass(10_000);
  assert.deepEqual([session.state, session.ending], ['ended', 'ended']);
  assert.equal(made('join').length, 1);
});

test('joinForAStream_whoseReplyIsLost_isRepeatedWithItsKey_andItsOwnEventIsNotElsewhere', async () => {
  await joined();
  api.mute = 'join';
  socket().breaks();
  await time.pass(1500);
  assert.equal(api.generation, 2);
  assert.equal(session.membership.generation, 1);
  session.heard({ type: 'participant.reconnected', participant: 'me', generation: 2 });
  api.mute = null;
  await time.pass(3000);
  assert.equal(session.state, 'in');
  assert.deepEqual([session.membership.generation, api.generation], [2, 2]);
  assert.equal(session.line, 'up');
});

for (const [reason, ending] of [
  ['left', 'left-elsewhere'],
  ['room-closed', 'room-closed'],
  ['operator', 'operator'],
  ['something-new', 'ended'],
]) {
  test(`sessionEnded_because_${reason}_isSaidAndStaysEnded`, async () => {
    await joined();
    socket().breaks(4004, reason);
    await time.pass(30_000);
    assert.deepEqual([session.state, session.ending], ['ended', ending]);
    assert.equal(made('join').length, 1);
  });
}

test('sessionEnded_becauseExpired_comesBackOnlyWhereSomebodyLooks', async () => {
  await joined();
  socket().breaks(4004, 'expired');
  await time.pass(1000);
  assert.deepEqual([session.state, session.returned, session.membership.generation], ['in', true, 2]);
  visible = false;
  socket().breaks(4004, 'expired');
  await time.pass(1000);
  assert.deepEqual([session.state, session.ending], ['ended', 'expired']);
});

for (const [code, ending] of [
  [4002, 'elsewhere'],
  [4005, 'disconnected'],
]) {
  test(`closeCode_${code}_keepsOff`, async () => {
    await joined();
    socket().breaks(code);
    await time.pass(60_000);
    assert.deepEqual([session.state, session.ending], ['ended', ending]);
    assert.equal(sockets.length, 1);
    assert.equal(api.calls.length, 1);
  });
}

test('drainingNode_isLeftAloneForAsLongAsItAsks_whileRestRenews', async () => {
  await joined();
  socket().breaks(1012, '8000');
  await time.pass(4000);
  session.hurry();
  await time.pass(3750);
  assert.equal(sockets.length, 1, 'a hint that the network is there changes nothing');
  await time.pass(3000);
  assert.equal(sockets.length, 2);
  assert.equal(session.membership.generation, 2);
  assert.equal(session.line, 'up');
});

test('olderStream_onceANewerWasOpened_isIgnored', async () => {
  await joined();
  const [old] = sockets;
  await session.join();
  await settle();
  old.breaks(4002);
  old.says({ requestId: 'r', dSignalRequest: {} });
  assert.equal(session.state, 'in');
  assert.equal(session.line, 'up');
  assert.deepEqual(streams.map((each) => each !== null), [true, false, true]);
});

test('drop_isSilentOnTheStreamToo_andRenewingAgainIsTheNextGeneration', async () => {
  await joined();
  session.drop();
  assert.equal(socket().closed.code, 1000);
  await time.pass(8000);
  assert.equal(sockets.length, 1);
  session.resume();
  await time.pass(1000);
  assert.equal(session.membership.generation, 2);
});

test('mediaReport_goesOverTheStream_andByRestWhereThereIsNone', async () => {
  await joined();
  session.media({ state: 'connected', flowing: true });
  assert.deepEqual(socket().request('uMediaState').uMediaStateRequest, {
    session: 's-1', generation: 1, state: 'connected', flowing: true,
  });
  accepting = false;
  socket().breaks();
  await session.media({ state: 'failed' });
  assert.deepEqual(made('media'), [{ call: 'media', generation: 1, state: 'failed' }]);
});

test('sleep_ofTheDevice_isNoticedByTheWallClock_andOnlyThen', async () => {
  const slept = [];
  let wall = 1_000_000;
  const stop = followSleep((ms) => slept.push(ms), { now: () => wall });
  for (let second = 0; second < 5; second++) {
    wall += 1100;
    mock.timers.tick(1000);
  }
  assert.deepEqual(slept, []);
  wall += 3_600_000;
  mock.timers.tick(1000);
  assert.deepEqual(slept, [3_599_000]);
  stop();
  wall += 3_600_000;
  mock.timers.tick(5000);
  assert.equal(slept.length, 1);
});

const policy = { heartbeatSeconds: 5, leaseSeconds: 15, suspendedLeaseSeconds: 120 };
const event = (seq, type, fields = {}) => ({
  id: `e${seq}`, room: 'r', seq, type: `participant.${type}`, session: 's-b', participant: 'b', generation: 1, next: 'present',
  at: '2025-01-01T08:00:00.000Z', ...fields,
});

const untilAborted = (signal) =>
  new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(new Unreachable('aborted'))));

/** A room as REST reads it; its event stream never stands, so that only the client stream brings events. */
function watchApi(seq = 1) {
  return {
    clock: { local: time.now, now: () => Date.parse('2025-01-01T08:00:01.000Z') },
    opened: 0,
    loads: 0,
    async room() {
      this.loads++;
      return { state: 'open', policy };
    },
    async roster() {
      return { roster: { seq, asOf: '2025-01-01T08:00:00.000Z', stage: 'live', entries: [] }, etag: null };
    },
    async events() {
      return { items: [] };
    },
    openEvents(room, lastId, signal) {
      this.opened++;
      return untilAborted(signal);
    },
  };
}

test('watch_whileAStreamIsUp_subscribesFromWhatItHas_andAcknowledgesWhatItTook', async () => {
  const asked = [];
  const heard = [];
  const watch = new Watch(watchApi(), 'r', { onEvent: (each) => heard.push(each.seq) });
  const stream = { call: async (method, request) => (asked.push([method, request]), { snapshot: { seq: 1 }, seq: 1 }) };
  watch.start();
  await settle();
  watch.follow(stream);
  await settle();
  assert.deepEqual(asked, [['uSubscribe', { room: 'r', after: 1 }]]);
  assert.equal(watch.status.kind, 'live');
  assert.deepEqual(watch.take({ room: 'r', events: [event(2, 'joined'), event(3, 'suspected', { next: 'suspect' })] }), { seq: 3 });
  assert.equal(watch.roster.entries.get('s-b').state, 'suspect');
  // At least once: what comes again is acknowledged again and changes nothing.
  assert.deepEqual(watch.take({ room: 'r', events: [event(2, 'joined')] }), { seq: 3 });
  assert.equal(watch.roster.entries.get('s-b').state, 'suspect');
  assert.equal(watch.timeline.length, 2);
  assert.deepEqual(watch.take({ room: 'another', events: [event(9, 'left', { next: 'absent' })] }), { seq: 3 });
  assert.equal(watch.roster.seq, 3);
  watch.pause();
});

test('watch_whenTheStreamEnds_fallsBackToItsOwnConnection_fromTheLastEvent', async () => {
  const server = watchApi();
  const from = [];
  server.openEvents = (room, lastId, signal) => (from.push(lastId), untilAborted(signal));
  const watch = new Watch(server, 'r');
  watch.start();
  await settle();
  assert.deepEqual(from, [1]);
  watch.follow({ call: async () => ({ snapshot: { seq: 1 }, seq: 1 }) });
  await settle();
  watch.take({ room: 'r', events: [event(2, 'joined')] });
  watch.follow(null);
  await settle();
  assert.deepEqual(from, [1, 2]);
  watch.pause();
});

test('watch_ofAStreamThatCannotSubscribe_keepsItsOwnConnection', async () => {
  const server = watchApi();
  const watch = new Watch(server, 'r');
  watch.start();
  await settle();
  watch.follow({ call: async () => Promise.reject(refusalOf('unknown-method', true)) });
  await time.pass(2000);
  assert.equal(server.opened, 2);
  assert.notEqual(watch.status.kind, 'refused');
  watch.pause();
});

test('watch_withAnEventMissing_readsTheRosterAgain', async () => {
  const server = watchApi();
  const watch = new Watch(server, 'r');
  watch.start();
  await settle();
  watch.follow({ call: async () => ({ snapshot: { seq: 1 }, seq: 1 }) });
  await settle();
  server.roster = async () => ({ roster: { seq: 5, asOf: '2025-01-01T08:00:00.000Z', stage: 'live', entries: [] }, etag: null });
  watch.take({ room: 'r', events: [event(5, 'joined')] });
  await settle();
  assert.equal(watch.roster.seq, 5);
  assert.equal(server.loads, 2);
  watch.pause();
});

test('watch_givenASnapshotInPlaceOfEvents_adoptsIt_andGoesOnAfterIt', async () => {
  const watch = new Watch(watchApi(), 'r');
  watch.start();
  await settle();
  watch.follow({ call: async () => ({ snapshot: { seq: 1 }, seq: 1 }) });
  await settle();
  const snapshot = { room: 'r', seq: 40, asOf: '2025-01-01T08:00:00.000Z', stage: 'live' };
  assert.deepEqual(watch.take({ room: 'r', snapshot }), { seq: 40 });
  assert.deepEqual(watch.take({ room: 'r', events: [event(41, 'joined')] }), { seq: 41 });
  assert.equal(watch.roster.entries.size, 1);
  watch.pause();
});

test('watch_whoseServerFallsSilent_knowsSinceWhen_andHearsEveryAnswerAndEvent', async () => {
  const server = watchApi();
  const { roster } = server;
  const watch = new Watch(server, 'r');
  assert.equal(watch.heardAt, -Infinity);
  watch.start();
  await settle();
  watch.follow({ call: async () => ({ snapshot: { seq: 1 }, seq: 1 }) });
  await time.pass(4000);
  const answered = time.now() - watch.heardAt;
  assert.ok(answered <= 2000, `heard ${answered} ms ago`);
  server.roster = async () => Promise.reject(new Unreachable('gone'));
  const last = watch.heardAt;
  await time.pass(12_000);
  assert.equal(watch.heardAt, last);
  assert.equal(watch.status.kind, 'live');
  watch.take({ room: 'r', events: [] });
  assert.equal(watch.heardAt, time.now());
  await time.pass(3000);
  server.roster = roster;
  await time.pass(2000);
  assert.ok(time.now() - watch.heardAt <= 2000);
  watch.pause();
});
