import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Problem, Unreachable } from '../../main/webapp/client/problem.js';
import { CallError, endOf, refusalOf, Stream } from '../../main/webapp/client/stream.js';
import { FakeSocket, settle, Time } from './fakes.mjs';

let time;
let socket;
let ended;
let connected;

function open(handlers = {}) {
  ended = [];
  connected = 0;
  return new Stream(
    { url: 'ws://localhost:9080/stream', ticket: 't-1' },
    {
      handlers,
      connect: (address, protocols) => (socket = new FakeSocket(address, protocols)),
      now: time.now,
      onConnected: () => connected++,
      onEnded: (end) => ended.push(end.cause),
    },
  );
}

function standing(handlers) {
  const stream = open(handlers);
  socket.publish();
  return stream;
}

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  time = new Time();
});

afterEach(() => mock.timers.reset());

test('upgrade_carriesTheTicketAndTheVersion_andAsksForTheJsonCodec', () => {
  open();
  assert.equal(socket.address.href, 'ws://localhost:9080/stream?pv=4&ticket=t-1');
  assert.deepEqual(socket.protocols, ['huddle.json.v1']);
});

test('stream_afterTheFirstPing_isOnlyReserved_andConnectedAfterTheSecond', () => {
  const stream = open();
  socket.says({ pingPong: {} });
  assert.equal(stream.connected, false);
  socket.says({ pingPong: {} });
  assert.equal(stream.connected, true);
  assert.equal(connected, 1);
});

test('stream_neverMadePublic_endsAfterItsTime', async () => {
  open();
  await time.pass(15_000);
  assert.deepEqual(ended, ['silent']);
});

test('calls_answeredOutOfOrder_getTheirOwnResponses', async () => {
  const stream = standing();
  const first = stream.call('uEcho', { message: 'a' });
  const second = stream.call('uEcho', { message: 'b' });
  const [one, two] = socket.sent;
  assert.notEqual(one.requestId, two.requestId);
  socket.says({ requestId: two.requestId, reply: true, uEchoResponse: { message: 'b' } });
  socket.says({ requestId: one.requestId, reply: true, uEchoResponse: { message: 'a' } });
  assert.deepEqual(await Promise.all([first, second]), [{ message: 'a' }, { message: 'b' }]);
});

test('byteStream_ofTheServer_isRefusedOnceAndTheCallsGoOn', async () => {
  const stream = standing();
  const call = stream.call('uEcho', { message: 'a' });
  const write = (streamId) => socket.says({ byteStreamOperation: { streamId, write: { chunk: 'aGk=' } } });
  write(2);
  write(2);
  write(4);
  socket.says({ byteStreamOperation: { streamId: 2, finish: {} } });
  socket.says({ byteStreamOperation: { streamId: 1, destroy: {} } });
  const refused = socket.sent.filter((message) => message.byteStreamOperation);
  assert.deepEqual(refused.map(({ byteStreamOperation }) => byteStreamOperation.streamId), [2, 4]);
  assert.ok(refused.every(({ byteStreamOperation }) => byteStreamOperation.destroy.error));
  socket.says({ requestId: socket.sent[0].requestId, reply: true, uEchoResponse: { message: 'a' } });
  assert.deepEqual(await call, { message: 'a' });
});

test('call_refused_isTheProblemOfTheRestContract', async () => {
  const stream = standing();
  const call = stream.call('uRenew', {});
  socket.refuses('uRenew', 'stale-generation');
  await assert.rejects(call, (error) => error instanceof Problem && error.code === 'stale-generation' && error.userError);
});

test('refusals_haveTheStatusThatDecidesWhetherToTryAgain', () => {
  assert.deepEqual(['lease-expired', 'unavailable', 'room-closed'].map((code) => refusalOf(code, true).status), [410, 503, 409]);
  const invalid = refusalOf('invalid-request: say a room', true);
  assert.deepEqual([invalid.code, invalid.status, invalid.message], ['invalid-request', 400, 'say a room']);
  assert.deepEqual([refusalOf('internal-error', false).status, refusalOf('internal-error', false).userError], [500, false]);
  assert.equal(refusalOf('Something broke', false).code, 'error');
});

test('call_withoutAnAnswer_endsAtItsDeadline_andItsLateReplyFindsNobody', async () => {
  const stream = standing();
  const call = stream.call('uRenew', {}, { timeoutMs: 1000 });
  call.catch(() => {});
  await time.pass(1000);
  await assert.rejects(call, Unreachable);
  socket.answers('uRenew', {});
  assert.equal(stream.connected, true);
});

test('call_unansweredWhenTheStreamEnds_isIndeterminate_andLaterOnesAreRefusedAtOnce', async () => {
  const stream = standing();
  const call = stream.call('uRenew', {});
  socket.breaks();
  await assert.rejects(call, Unreachable);
  await assert.rejects(stream.call('uRenew', {}), Unreachable);
});

test('burstOfCalls_isHeldBackBelowTheServersLimit_andGoesOnWithTheAnswers', async () => {
  const stream = standing();
  const calls = Array.from({ length: 100 }, (_, index) => stream.call('uEcho', { message: String(index) }));
  assert.equal(socket.sent.length, 48);
  for (let index = 0; index < 100; index++) {
    socket.says({ requestId: socket.sent[index].requestId, reply: true, uEchoResponse: { message: socket.sent[index].uEchoRequest.message } });
  }
  const answers = await Promise.all(calls);
  assert.deepEqual(answers.map(({ message }) => Number(message)), Array.from({ length: 100 }, (_, index) => index));
});

test('serversRequest_answeredAtOnce_needsNoReceipt', async () => {
  standing({ dEvents: ({ events }) => ({ seq: events.at(-1).seq }) });
  socket.says({ requestId: 'r1', dEventsRequest: { room: 'r', events: [{ seq: 7 }] } });
  await settle();
  await time.pass(4000);
  assert.deepEqual(socket.sent, [{ requestId: 'r1', reply: true, dEventsResponse: { seq: 7 } }]);
});

test('serversRequest_thatTakesLong_isReceiptedWithinThreeSeconds_once', async () => {
  let finish;
  standing({ dCall: () => new Promise((resolve) => (finish = resolve)) });
  socket.says({ requestId: 'r1', dCallRequest: { type: 't', data: '{}' } });
  await time.pass(2250);
  assert.deepEqual(socket.sent, []);
  await time.pass(750);
  assert.deepEqual(socket.sent, [{ requestId: 'r1', requestAck: {} }]);
  finish({ data: '1' });
  await time.pass(5000);
  assert.deepEqual(socket.sent.slice(1), [{ requestId: 'r1', reply: true, dCallResponse: { data: '1' } }]);
});

test('handlersError_arrivesAsItIsWhereMeant_andWithoutDetailsOtherwise', async () => {
  const fail = (error) => () => {
    throw error;
  };
  standing({ dCall: fail(new CallError('no-such-type', true)), dSignal: fail(new TypeError('secret')) });
  socket.says({ requestId: 'r1', dCallRequest: {} });
  socket.says({ requestId: 'r2', dSignalRequest: {} });
  socket.says({ requestId: 'r3', dUnheardRequest: {} });
  socket.says({ requestId: 'r4', toStringRequest: {} });
  await settle();
  assert.deepEqual(socket.sent.map(({ requestId, error, userError }) => [requestId, error, userError]).sort(), [
    ['r1', 'no-such-type', true],
    ['r2', 'internal-error', undefined],
    ['r3', 'unknown-method', undefined],
    ['r4', 'unknown-method', undefined],
  ]);
});

test('handler_thatFinishesAfterTheEnd_cannotAnswer', async () => {
  let finish;
  const stream = standing({ dCall: () => new Promise((resolve) => (finish = resolve)) });
  socket.says({ requestId: 'r1', dCallRequest: {} });
  stream.close();
  finish({ data: '1' });
  await settle();
  assert.deepEqual(socket.sent, []);
});

test('message_afterTheEnd_isNotDispatched', () => {
  let dispatched = 0;
  const stream = standing({ dSignal: () => dispatched++ });
  stream.close();
  socket.says({ requestId: 'r1', dSignalRequest: {} });
  assert.equal(dispatched, 0);
  assert.deepEqual(ended, [], 'whoever closes it knows');
  assert.equal(socket.closed.code, 1000);
});

test('pings_goOutEvery55Seconds_whileTheServerAnswers', async () => {
  standing();
  for (let minute = 0; minute < 3; minute++) {
    await time.pass(60_000);
    socket.says({ pingPong: {} });
  }
  assert.equal(socket.sent.filter((each) => each.pingPong).length, 3);
  assert.deepEqual(ended, []);
});

test('silence_of75Seconds_endsTheStreamWithoutWaitingForItsSocket', async () => {
  standing();
  await time.pass(75_000);
  assert.deepEqual(ended, []);
  await time.pass(5_000);
  assert.deepEqual(ended, ['silent']);
  assert.equal(socket.closed.code, 4003);
  socket.breaks();
  assert.equal(ended.length, 1);
});

test('check_ofADeadLine_endsItWithinSeconds_andOfALiveOneNot', async () => {
  const stream = standing();
  stream.check();
  socket.says({ pingPong: {} });
  await time.pass(5000);
  assert.equal(stream.connected, true);
  stream.check();
  await time.pass(4000);
  assert.deepEqual(ended, ['silent']);
});

test('unreadableMessage_endsTheStreamAsABadArgument', () => {
  standing();
  socket.onmessage({ data: 'oops' });
  assert.equal(socket.closed.code, 4000);
  assert.deepEqual(ended, ['bad-argument']);
});

test('closeCodes_areUnderstood', () => {
  const causes = [1000, 1012, 1013, 4000, 4001, 4002, 4003, 4004, 4005, 1006].map((code) => endOf(code).cause);
  assert.deepEqual(causes, [
    'normal', 'draining', 'busy', 'bad-argument', 'conflict', 'elsewhere', 'silent', 'ended', 'disconnected', 'lost',
  ]);
  assert.equal(endOf(1012, '2500').delayMs, 2500);
  assert.equal(endOf(1012, 'reconnect after 3 s').delayMs, 3000);
  assert.equal(endOf(1012, 'going away').delayMs, 0);
  assert.equal(endOf(1013, 'not yet; try again after 2500 ms').delayMs, 2500);
  assert.equal(endOf(1013, 'more than 64 requests').delayMs, 0);
});
