// The client's own duties, against a server of the test's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallError, open } from './client.mjs';
import { closeFrame, peer, serverFrame } from './peer.mjs';
import { decode, encode } from './wire.mjs';

const bytes = (message) => serverFrame(2, encode('ServerMessage', message));
const connected = Buffer.concat([bytes({ pingPong: {} }), bytes({ pingPong: {} })]);

/** A server that sends the two pings and gives each message to `onMessage(message, send, socket)`. */
function server(t, onMessage) {
  return peer(t, {
    early: connected,
    onFrame: ({ opcode, payload }, socket) => {
      if (opcode === 8) return socket.end(serverFrame(8, payload));
      onMessage(decode('ClientMessage', payload), (message) => socket.write(bytes(message)), socket);
    },
  });
}

const options = { query: 'pv=4' };
const failure = (message, userError) => (error) => error instanceof CallError && error.message === message && error.userError === userError;

test('connected is the second ping, and a close before it tells its code', async (t) => {
  const address = await peer(t, { early: Buffer.concat([bytes({ pingPong: {} }), closeFrame(4001, 'conflict')]) });
  await assert.rejects(open(address, options), { code: 4001, reason: 'conflict' });
});

test('replies in another order reach their calls, errors with their flag', async (t) => {
  const held = [];
  const address = await server(t, ({ requestId, uEchoRequest }, send) => {
    held.push([requestId, uEchoRequest.message]);
    if (held.length < 3) return;
    for (const [id, text] of held.reverse()) {
      send(text === 'bad' ? { requestId: id, reply: true, error: 'room-closed', userError: true }
        : { requestId: id, reply: true, uEchoResponse: { message: text } });
    }
  });
  const stream = await open(address, options);
  const results = await Promise.allSettled(['a', 'bad', 'c'].map((message) => stream.call('uEcho', { message })));
  assert.deepEqual([results[0].value, results[2].value], [{ message: 'a' }, { message: 'c' }]);
  assert.ok(failure('room-closed', true)(results[1].reason));
});

test('a reply after the deadline is ignored, one to no request closes with 4000', async (t) => {
  const address = await server(t, ({ requestId, uEchoRequest }, send, socket) => {
    if (!uEchoRequest) return;
    if (uEchoRequest.message === 'unknown') return send({ requestId: 'never', reply: true, uEchoResponse: {} });
    socket.held ??= requestId;
    if (uEchoRequest.message === 'second') {
      send({ requestId: socket.held, reply: true, uEchoResponse: { message: 'late' } });
      send({ requestId, reply: true, uEchoResponse: { message: 'in time' } });
    }
  });
  const stream = await open(address, options);
  await assert.rejects(stream.call('uEcho', { message: 'first' }, { deadlineMs: 50 }), failure('delivery-indeterminate', false));
  assert.deepEqual(await stream.call('uEcho', { message: 'second' }), { message: 'in time' });
  await assert.rejects(stream.call('uEcho', { message: 'unknown' }), failure('delivery-indeterminate', false));
  assert.equal((await stream.closed).code, 4000);
});

test('at most 63 requests are under way, the others follow', async (t) => {
  const held = [];
  let most = 0;
  const address = await server(t, ({ requestId }, send) => {
    held.push(requestId);
    most = Math.max(most, held.length);
    if (held.length === 63 || most === 63 && held.length === 37) {
      for (const id of held.splice(0)) send({ requestId: id, reply: true, uEchoResponse: {} });
    }
  });
  const stream = await open(address, options);
  await Promise.all(Array.from({ length: 100 }, () => stream.call('uEcho')));
  assert.equal(most, 63);
});

test('requests of the server are answered: result, error with its flag, defect without details, unknown method', async (t) => {
  const replies = [];
  let done;
  const answered = new Promise((resolve) => { done = resolve; });
  const address = await server(t, (message, send) => {
    if (message.uEchoRequest) {
      for (const type of ['good', 'refused', 'defect']) send({ requestId: type, dCallRequest: { type, data: '1' } });
      send({ requestId: 'unknown', dSignalRequest: {} });
      return send({ requestId: message.requestId, reply: true, uEchoResponse: {} });
    }
    replies.push(message);
    if (replies.length === 4) done();
  });
  const dCall = async ({ type, data }) => {
    if (type === 'refused') throw new CallError('not now', true);
    if (type === 'defect') throw new TypeError('secret of the implementation');
    return { data: data + '2' };
  };
  const stream = await open(address, { ...options, handlers: { dCall } });
  await stream.call('uEcho');
  await answered;
  const byId = Object.fromEntries(replies.map(({ requestId, ...rest }) => [requestId, rest]));
  assert.deepEqual(byId, {
    good: { reply: true, dCallResponse: { data: '12' } },
    refused: { reply: true, error: 'not now', userError: true },
    defect: { reply: true, error: 'internal-error' },
    unknown: { reply: true, error: 'unknown-method', userError: true },
  });
});

for (const [protocol, expected] of [[4, [{ requestId: 's1', reply: false, requestAck: {} }, { requestId: 's1', reply: true, dCallResponse: { data: '' } }]],
  [3, [{ requestId: 's1', reply: true, dCallResponse: { data: '' } }]]]) {
  test(`a slow handler of protocol ${protocol} sends ${expected.length - 1} receipt before its reply`, async (t) => {
    const got = [];
    let finish;
    let done;
    const answered = new Promise((resolve) => { done = resolve; });
    const address = await server(t, (message, send) => {
      if (message.uEchoRequest) return send({ requestId: 's1', dCallRequest: {} });
      got.push(message);
      if (message.requestAck) finish();
      if (message.reply) done();
    });
    const dCall = () => new Promise((resolve) => {
      finish = () => resolve({ data: '' });
      if (protocol === 3) setImmediate(finish);
    });
    const stream = await open(address, { ...options, protocol, receiptMs: 20, handlers: { dCall } });
    stream.call('uEcho').catch(() => {});
    await answered;
    assert.deepEqual(got, expected);
  });
}

test('the end of the stream settles every call, and a late handler no longer answers', async (t) => {
  const got = [];
  let finish;
  const address = await server(t, (message, send, socket) => {
    got.push(message);
    if (message.uEchoRequest) {
      send({ requestId: 's1', dCallRequest: {} });
      socket.end(closeFrame(1012, '250'));
    }
  });
  const stream = await open(address, { ...options, handlers: { dCall: () => new Promise((resolve) => { finish = resolve; }) } });
  const call = stream.call('uEcho');
  assert.deepEqual(await stream.closed, { code: 1012, reason: '250' });
  await assert.rejects(call, failure('delivery-indeterminate', false));
  await assert.rejects(stream.call('uEcho'), failure('disconnected', false));
  finish({ data: '' });
  await new Promise(setImmediate);
  assert.deepEqual(got.map((message) => message.requestId), ['r1']);
});

test('byte streams: those of the server are kept until asked for, in order; a destroy tells its reason', async (t) => {
  const operation = (send, streamId, what) => send({ byteStreamOperation: { streamId, ...what } });
  const destroyed = [];
  const address = await server(t, ({ requestId, uEchoRequest, byteStreamOperation }, send) => {
    if (byteStreamOperation) return destroyed.push(byteStreamOperation);
    if (uEchoRequest.message === 'more') {
      operation(send, 6, { write: { chunk: Buffer.from('dropped') } });
      operation(send, 6, { finish: {} });
    } else {
      for (const text of ['a', 'b']) operation(send, 2, { write: { chunk: Buffer.from(text) } });
      operation(send, 2, { finish: {} });
      operation(send, 4, { destroy: { error: 'no longer wanted' } });
      operation(send, 6, { write: { chunk: Buffer.from('first') } });
    }
    send({ requestId, reply: true, uEchoResponse: {} });
  });
  const stream = await open(address, options);
  await stream.call('uEcho');
  const chunks = [];
  for await (const chunk of stream.receiveBytes(2)) chunks.push(chunk.toString());
  assert.deepEqual(chunks, ['a', 'b']);
  await assert.rejects(stream.receiveBytes(4).next(), failure('no longer wanted', false));
  for await (const chunk of stream.receiveBytes(6)) {
    assert.equal(chunk.toString(), 'first');
    break;
  }
  await stream.call('uEcho', { message: 'more' });
  assert.deepEqual(destroyed, [{ streamId: 6, destroy: {} }]);
  assert.equal(stream.isDead, false);
});

test('own byte streams have odd ids and stop when the server destroys them', async (t) => {
  const got = [];
  const address = await server(t, ({ requestId, byteStreamOperation }, send) => {
    if (byteStreamOperation) return got.push(byteStreamOperation);
    send({ byteStreamOperation: { streamId: 3, destroy: {} } });
    send({ requestId, reply: true, uEchoResponse: {} });
  });
  const stream = await open(address, options);
  const [one, three] = [stream.sendBytes(), stream.sendBytes()];
  await one.write(Buffer.from('x'));
  one.finish();
  await assert.rejects(one.write(Buffer.from('y')), failure('the byte stream has ended', false));
  await three.write(Buffer.from('z'));
  await stream.call('uEcho');
  await assert.rejects(three.write(Buffer.from('z')), failure('the byte stream has ended', false));
  assert.deepEqual(got.map(({ streamId, write }) => [streamId, write?.chunk.toString()]), [[1, 'x'], [1, undefined], [3, 'z']]);
});
