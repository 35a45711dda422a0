// The framing, against a server of the test's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeFrame, peer, serverFrame } from './peer.mjs';
import { connect, Frames, Refused } from './websocket.mjs';

/** A listener that remembers; `closed` resolves with {code, reason}. */
function recorder() {
  const messages = [];
  let end;
  const closed = new Promise((resolve) => { end = resolve; });
  return { messages, closed, listener: { message: (data) => messages.push(data), closed: (code, reason) => end({ code, reason }) } };
}

test('messages cut into single bytes and into fragments arrive whole, pings between them are answered', async (t) => {
  const pongs = [];
  let answered;
  const closeAnswered = new Promise((resolve) => { answered = resolve; });
  const large = Buffer.alloc(70_000, 'x');
  const bytes = Buffer.concat([
    serverFrame(1, Buffer.from('hé'.slice(0, 1)), { final: false }),
    serverFrame(9, Buffer.from('ping')),
    serverFrame(0, Buffer.from('é')),
    serverFrame(2, Buffer.alloc(300, 7)),
    serverFrame(2, large),
    closeFrame(1000, 'done'),
  ]);
  const address = await peer(t, {
    onOpen: (socket) => {
      socket.setNoDelay(true);
      for (const byte of bytes.subarray(0, 40)) socket.write(Buffer.from([byte]));
      socket.write(bytes.subarray(40));
    },
    onFrame: ({ opcode, payload }) => {
      if (opcode === 10) pongs.push(payload.toString());
      if (opcode === 8) answered();
    },
  });
  const { messages, closed, listener } = recorder();
  await connect(address, { protocol: 'huddle.protobuf.v1', listener });
  assert.deepEqual(await closed, { code: 1000, reason: 'done' });
  await closeAnswered;
  assert.deepEqual(messages, ['hé', Buffer.alloc(300, 7), large]);
  assert.deepEqual(pongs, ['ping']);
});

test('frames that come in one piece with the answer to the upgrade are not lost', async (t) => {
  const address = await peer(t, { early: Buffer.concat([serverFrame(1, Buffer.from('early')), closeFrame(4001, 'conflict')]) });
  const { messages, closed, listener } = recorder();
  await connect(address, { listener });
  assert.deepEqual(await closed, { code: 4001, reason: 'conflict' });
  assert.deepEqual(messages, ['early']);
});

test('what is sent arrives masked and whole at each length of the header', async (t) => {
  const received = [];
  const address = await peer(t, {
    onFrame: ({ opcode, payload }, socket) => {
      received.push([opcode, payload.length, payload.every((byte) => byte === 90)]);
      if (received.length === 6) socket.end(closeFrame(1000));
    },
  });
  const { closed, listener } = recorder();
  const connection = await connect(address, { listener });
  for (const size of [0, 125, 126, 65_535, 65_536]) connection.send(Buffer.alloc(size, 'Z'));
  connection.send('ZZ');
  await closed;
  assert.deepEqual(received.slice(0, 6), [[2, 0, true], [2, 125, true], [2, 126, true], [2, 65_535, true], [2, 65_536, true], [1, 2, true]]);
});

test('a refused upgrade tells its status and body', async (t) => {
  const address = await peer(t, { refusal: { status: 403, headers: { 'Content-Type': 'application/problem+json' }, body: '{"code":"forbidden"}' } });
  await assert.rejects(connect(address, recorder()), (refused) => {
    assert.ok(refused instanceof Refused);
    assert.equal(refused.status, 403);
    assert.equal(refused.body, '{"code":"forbidden"}');
    return true;
  });
});

test('a connection that breaks ends with 1006', async (t) => {
  const address = await peer(t, { onOpen: (socket) => socket.destroy() });
  const { closed, listener } = recorder();
  await connect(address, { listener });
  assert.equal((await closed).code, 1006);
});

test('closing sends the code, waits for the answer and then ends', async (t) => {
  const codes = [];
  const address = await peer(t, {
    onFrame: ({ opcode, payload }, socket) => {
      if (opcode !== 8) return;
      codes.push(payload.readUInt16BE(0));
      socket.end(closeFrame(1000));
    },
  });
  const { closed, listener } = recorder();
  const connection = await connect(address, { listener });
  connection.close(1000, 'bye');
  assert.equal((await closed).code, 1000);
  assert.deepEqual(codes, [1000]);
});

test('what no server may send is refused', () => {
  const refuses = (hex) => assert.throws(() => [...new Frames().push(Buffer.from(hex, 'hex'))], Error, hex);
  refuses('818100000000' + '00'); // masked
  refuses('c10161'); // a reserved bit
  refuses('827f0000000100000000'); // 4 GiB
  refuses('827f0000000000800001'); // a byte over 8 MiB
  assert.deepEqual([...new Frames().push(Buffer.from('810161', 'hex'))].length, 1);
});

test('fragments out of place and text that is no UTF-8 end the connection', async (t) => {
  for (const bytes of [serverFrame(0, Buffer.from('a')), serverFrame(3, Buffer.from('a')), serverFrame(1, Buffer.from([0xc3, 0x28]))]) {
    const codes = [];
    const address = await peer(t, {
      onOpen: (socket) => socket.write(bytes),
      onFrame: ({ opcode, payload }) => { if (opcode === 8) codes.push(payload.readUInt16BE(0)); },
    });
    const { messages, closed, listener } = recorder();
    await connect(address, { listener });
    assert.equal((await closed).code, 1006);
    assert.deepEqual(messages, []);
  }
});
