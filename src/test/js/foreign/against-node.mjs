// The client against a running node. Needs in the environment: HUDDLE_URL (http://host:port), HUDDLE_TEAM, HUDDLE_TOKENS
// (a JSON list of tokens of participants of the team), HUDDLE_KEYS (a JSON object of keys {client, secret} by name, all
// with the role integrator for the team but for `plain`).
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { CallError, open } from './client.mjs';
import { signedQuery, ticketQuery } from './signature.mjs';
import { frame, Refused } from './websocket.mjs';

const url = process.env.HUDDLE_URL;
const address = url.replace(/^http/, 'ws') + '/stream';
const team = process.env.HUDDLE_TEAM;
const tokens = JSON.parse(process.env.HUDDLE_TOKENS);
const keys = JSON.parse(process.env.HUDDLE_KEYS);

/** Opens a stream that the test closes at its end. */
async function connected(t, query, options = {}) {
  const stream = await open(address, { query, ...options });
  t.after(() => stream.close());
  return stream;
}

const signed = (t, name, options = {}, parameters = {}) =>
  connected(t, signedQuery({ ...keys[name], protocol: options.protocol ?? 4, ...parameters }), options);

async function rest(token, method, path, body, headers = {}) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
    body: body && JSON.stringify(body),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
  return response.status === 204 ? undefined : response.json();
}

const createRoom = () => rest(tokens[0], 'POST', '/rooms', { team, occurrence: randomUUID() }, { 'Idempotency-Key': randomUUID() });
const join = (token, room) => rest(token, 'POST', `/rooms/${room.id}/sessions`, {});

const fails = (message, userError) => (error) => {
  assert.ok(error instanceof CallError, String(error));
  assert.deepEqual([error.message, error.userError], [message, userError]);
  return true;
};

async function refusal(query) {
  try {
    (await open(address, { query })).close();
  } catch (refused) {
    assert.ok(refused instanceof Refused, String(refused));
    assert.match(refused.headers['content-type'], /^application\/problem\+json/);
    return refused;
  }
  throw new assert.AssertionError({ message: 'the handshake was not refused' });
}

/** Bytes there and back; gives the hash of what came. */
async function echoed(stream, bytes, chunkSize) {
  const sender = stream.sendBytes();
  const { streamId } = await stream.call('uEchoBytes', { streamId: sender.id });
  assert.equal(streamId % 2, 0);
  const writing = (async () => {
    for (let at = 0; at < bytes.length; at += chunkSize) await sender.write(bytes.subarray(at, at + chunkSize));
    sender.finish();
  })();
  const hash = createHash('sha256');
  for await (const chunk of stream.receiveBytes(streamId)) hash.update(chunk);
  await writing;
  return hash.digest('hex');
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

for (const [protocol, json] of [[4, false], [3, false], [4, true]]) {
  test(`signature, protocol ${protocol}, ${json ? 'JSON' : 'binary'}: calls are answered`, async (t) => {
    const stream = await signed(t, 'one' + protocol + json, { protocol, json });
    const message = 'Grüße \u{1F600} " \\ \n';
    assert.deepEqual(await stream.call('uEcho', { message }), { message });
    const many = await Promise.all(Array.from({ length: 200 }, (_, i) => stream.call('uEcho', { message: 'm' + i })));
    assert.deepEqual(many.map((one) => one.message), Array.from({ length: 200 }, (_, i) => 'm' + i));
    const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', traceFlags: 1 };
    assert.deepEqual(await stream.call('uEcho', { message: 'traced' }, { trace }), { message: 'traced' });
    await assert.rejects(stream.call('uNothing'), fails('unknown-method', true));
    stream.send({ pingPong: {} });
    await stream.call('uEcho', { message: 'after the ping' });
    assert.equal(stream.pings, 3);
    stream.close();
    assert.equal((await stream.closed).code, 1000);
  });
}

test('metadata of all kinds is signed as the server reads it', async (t) => {
  const metadata = {
    '10': 'ten', '2': 'two', '02': 'no index', '4294967295': 'no index either', Z: 'z', a: 'tab\tand\u2028line', 'é': 'a+b c&d=e%',
    '\u{1F600}': 'before', 'ﬁ': 'after', empty: '', quote: '"\\/\u001f\u007f',
  };
  const stream = await signed(t, 'metadata', {}, { metadata, capabilities: 'sender-announcements,x', appv: '' });
  assert.deepEqual(await stream.call('uSetMetadata', { metadata: '{"list":[],"big":9007199254740993}' }), { accepted: true });
  await assert.rejects(stream.call('uSetMetadata', { metadata: '[1]' }), (error) => /^invalid-request: ./.test(error.message) && error.userError);
});

test('3 MiB there and back are the same bytes', async (t) => {
  const stream = await signed(t, 'bytes');
  const bytes = randomBytes(3 * 1024 * 1024);
  assert.equal(await echoed(stream, bytes, 64 * 1024), sha256(bytes));
  assert.equal(await echoed(stream, bytes.subarray(0, 100_000), 999), sha256(bytes.subarray(0, 100_000)));
});

test('3 MiB in JSON are the same bytes', async (t) => {
  const stream = await signed(t, 'bytesJson', { json: true });
  const bytes = randomBytes(3 * 1024 * 1024);
  assert.equal(await echoed(stream, bytes, 64 * 1024), sha256(bytes));
});

test('a byte stream that nobody asks for is destroyed, the stream stays', async (t) => {
  const stream = await signed(t, 'unclaimed');
  const sender = stream.sendBytes();
  const chunk = Buffer.alloc(256 * 1024);
  await assert.rejects(async () => {
    for (let i = 0; i < 10; i++) {
      await sender.write(chunk);
      // The destroy overtakes this answer, or has come with it.
      await stream.call('uEcho', { message: 'in between' });
    }
  }, fails('the byte stream has ended', false));
  assert.deepEqual(await stream.call('uEcho', { message: 'still here' }), { message: 'still here' });
});

test('one client calls another, which serves, refuses, and fails', async (t) => {
  const got = [];
  const dCall = async ({ type, data }) => {
    got.push([type, data]);
    if (type === 'refuse') throw new CallError('the patient is in bed 4', true);
    if (type === 'fail') throw new TypeError('a defect');
    return { data: `{"was":${data}}` };
  };
  const served = await signed(t, 'callee', { handlers: { dCall } });
  const caller = await signed(t, 'caller');
  const call = (type, more) => caller.call('uCall', { toClient: keys.callee.client, type, data: '{"big":9007199254740993,"list":[]}', ...more });
  assert.deepEqual(await call('ring'), { data: '{"was":{"big":9007199254740993,"list":[]}}' });
  assert.deepEqual(got, [['ring', '{"big":9007199254740993,"list":[]}']]);
  await assert.rejects(call('refuse'), fails('client-error', true));
  await assert.rejects(call('fail'), fails('client-error', false));
  await assert.rejects(call('ring', { toClient: 'c-nobody' }), fails('client-not-found', true));
  await assert.rejects(call('ring', { data: 'no JSON' }), (error) => /^invalid-request: ./.test(error.message) && error.userError);
  const plain = await signed(t, 'plain');
  await assert.rejects(plain.call('uCall', { toClient: keys.callee.client, type: 'ring', data: '1' }), fails('forbidden', true));
  assert.equal(served.isDead, false);
});

test('protocol 4: a call without answer and without receipt ends the stream, one with a receipt does not', async (t) => {
  const handlers = { dCall: () => new Promise(() => {}) };
  const [receipted, silent, third] = await Promise.all([
    signed(t, 'receipted', { handlers, receiptMs: 0 }),
    signed(t, 'silent', { handlers, receiptMs: 60_000 }),
    signed(t, 'third', { handlers, protocol: 3 }),
  ]);
  const caller = await signed(t, 'impatient');
  const call = (name, timeoutMs) => caller.call('uCall', { toClient: keys[name].client, type: 'x', data: '1', timeoutMs });
  await assert.rejects(call('silent', 1_000), fails('delivery-indeterminate', false));
  assert.equal(silent.isDead, false);
  await Promise.all(['receipted', 'silent', 'third'].map((name) => assert.rejects(call(name, 3_500), fails('delivery-indeterminate', false))));
  assert.equal((await silent.closed).code, 4003);
  for (const stream of [receipted, third]) assert.deepEqual(await stream.call('uEcho', { message: 'here' }), { message: 'here' });
  // The server, too, sends receipts for what takes long.
  assert.ok(caller.receipts.size > 0);
});

test('a duplicate is refused with 4001 and disturbs nobody', async (t) => {
  const first = await signed(t, 'duplicate');
  await assert.rejects(signed(t, 'duplicate'), { code: 4001 });
  assert.deepEqual(await first.call('uEcho', { message: 'mine' }), { message: 'mine' });
});

test('superseding: the older stream ends with 4002, the newer one is connected', async (t) => {
  const older = await signed(t, 'supersede');
  const newer = await signed(t, 'supersede', {}, { supersede: true });
  assert.equal((await older.closed).code, 4002);
  await assert.rejects(older.call('uEcho'), fails('disconnected', false));
  assert.deepEqual(await newer.call('uEcho', { message: 'mine' }), { message: 'mine' });
});

test('403: a signature one digit off, a replay, a wrong time, audience, client; and never which of them', async () => {
  const key = keys.refused;
  const good = signedQuery(key);
  const last = good.at(-1);
  const unproven = [
    good.slice(0, -1) + (last === '0' ? '1' : '0'),
    good.replace('appv=foreign-1', 'appv=foreign-2'),
    good + '&more=metadata',
    signedQuery({ ...key, secret: key.secret + 'x' }),
    signedQuery({ ...key, client: 'c-nobody' }),
    signedQuery({ ...key, audience: 'https://elsewhere.example' }),
    signedQuery({ ...key, ts: Date.now() - 120_000 }),
    signedQuery({ ...key, ts: Date.now() + 120_000 }),
    ticketQuery({ ticket: randomBytes(32).toString('base64url') }),
  ];
  const bodies = new Set();
  for (const query of unproven) {
    const { status, body } = await refusal(query);
    assert.equal(status, 403, query.replace(/signature=.*/, ''));
    bodies.add(body);
  }
  const stream = await open(address, { query: good });
  stream.close();
  await stream.closed;
  const replay = await refusal(good);
  assert.equal(replay.status, 403);
  bodies.add(replay.body);
  assert.equal(bodies.size, 1, [...bodies].join('\n'));
  assert.equal(JSON.parse(replay.body).code, 'forbidden');
});

test('400: what is malformed, and the answer says what', async () => {
  const good = signedQuery(keys.refused);
  const without = (name) => {
    const query = new URLSearchParams(good);
    query.delete(name);
    return query.toString();
  };
  const malformed = ['pv', 'appv', 'ts', 'nonce', 'aud', 'id', 'cid', 'signature'].map((name) => [name, without(name)]);
  malformed.push(
    ['pv', good.replace('pv=4', 'pv=5')],
    ['pv', good.replace('pv=4', 'pv=2')],
    ['nonce', good.replace(/nonce=[^&]*/, 'nonce=tooshort')],
    ['nonce', good.replace(/nonce=[^&]*/, 'nonce=' + '%20'.repeat(20))],
    ['ts', good.replace(/ts=\d+/, 'ts=yesterday')],
    ['id', good.replace(/&id=[^&]*/, '&id=' + 'x'.repeat(1_025))],
    ['supersede', good + '&supersede=perhaps'],
    ['twice', good + '&pv=4'],
    ['ticket', good + '&ticket=abc'],
    ['percent', good + '&x=%zz'],
    ['UTF-8', good + '&x=%ff'],
    ['pv', ''],
  );
  for (const [word, query] of malformed) {
    const { status, body } = await refusal(query);
    assert.equal(status, 400, word);
    assert.ok(JSON.parse(body).detail.includes(word), `${body} does not name ${word}`);
  }
  const plain = await fetch(`${url}/stream?${good}`);
  assert.equal(plain.status, 400);
});

test('4000: what breaks the protocol', async (t) => {
  const offences = {
    garbage: (stream) => stream.connection.send(Buffer.from([255, 255, 255])),
    'the other codec': (stream) => stream.connection.send('{"pingPong":{}}'),
    'a request without an id': (stream) => stream.send({ uEchoRequest: {} }),
    'a reply to no request': (stream) => stream.send({ requestId: 'x', reply: true, dSignalResponse: {} }),
    'a receipt of no request': (stream) => stream.send({ requestId: 'x', requestAck: {} }),
    'an even byte stream': (stream) => stream.send({ byteStreamOperation: { streamId: 2, write: { chunk: 'x' } } }),
    'a write after the end': (stream) => {
      stream.send({ byteStreamOperation: { streamId: 1, finish: {} } });
      stream.send({ byteStreamOperation: { streamId: 1, write: { chunk: 'x' } } });
    },
    'a message over 8 MiB in fragments': (stream) => {
      for (let i = 0; i < 9; i++) stream.connection.raw(frame(i === 0 ? 2 : 0, Buffer.alloc(1024 * 1024), undefined, i === 8));
    },
    '65 requests at once': (stream) => {
      for (let i = 0; i < 65; i++) stream.send({ requestId: 'q' + i, uCallRequest: { toClient: keys.stuck.client, type: 'x', data: '1' } });
    },
  };
  await signed(t, 'stuck', { handlers: { dCall: () => new Promise(() => {}) }, receiptMs: 0 });
  for (const [name, offend] of Object.entries(offences)) {
    const stream = await signed(t, 'offender');
    offend(stream);
    const { code } = await stream.closed;
    assert.equal(code, 4000, name);
  }
});

test('ticket, JSON: renew, subscribe, events, signals, resume, leave', { timeout: 60_000 }, async (t) => {
  const room = await createRoom();
  const mine = await join(tokens[0], room);
  const seen = [];
  const taken = [];
  let arrived = () => {};
  const handlers = {
    dEvents: async ({ events }) => {
      seen.push(...events);
      arrived();
      return { seq: events.at(-1).seq };
    },
    dSignal: async (signal) => {
      taken.push(signal);
      return {};
    },
  };
  const until = async (condition) => {
    while (!condition()) await new Promise((resolve) => { arrived = resolve; });
  };
  const ticket = ticketQuery({ ticket: mine.stream.ticket });
  const stream = await connected(t, ticket, { json: true, handlers });
  const { session, generation } = mine;
  const renewed = await stream.call('uRenew', { session, generation, counter: 1 });
  assert.equal(renewed.state, 'present');
  assert.ok(Date.parse(renewed.leaseUntil) > Date.parse(renewed.serverTime));
  assert.equal((await stream.call('uSuspend', { session, generation, counter: 2 })).state, 'suspended');
  assert.equal((await stream.call('uRenew', { session, generation, counter: 3 })).state, 'present');
  await stream.call('uMediaState', { session, generation, state: 'connected', flowing: true, rttMs: 20, packetsLost: 0 });
  await assert.rejects(stream.call('uRenew', { session, generation: generation + 1 }), fails('stale-generation', true));
  await assert.rejects(stream.call('uRenew', { session: 'another', generation }), fails('session-not-found', true));
  await assert.rejects(stream.call('uSubscribe', { room: 'another' }), fails('room-not-found', true));
  await assert.rejects(stream.call('uCall', { toClient: keys.callee.client, type: 'x', data: '1' }), fails('forbidden', true));

  const { snapshot, seq } = await stream.call('uSubscribe', { room: room.id });
  assert.equal(snapshot.seq, seq);
  assert.deepEqual(snapshot.entries.map((entry) => [entry.session, entry.generation, entry.state]), [[session, generation, 'present']]);
  const other = await join(tokens[1], room);
  await until(() => seen.some((event) => event.type === 'participant.joined' && event.session === other.session));
  assert.deepEqual(seen.map((event) => event.seq), seen.map((_, i) => seq + 1 + i));

  const peer = await connected(t, ticketQuery({ ticket: other.stream.ticket }), { json: true });
  const signal = { room: room.id, toSession: session, kind: 'offer', payload: 'v=0' };
  assert.deepEqual(await peer.call('uSignal', signal), { delivered: true });
  assert.deepEqual(taken, [{ room: room.id, fromSession: other.session, generation: other.generation, kind: 'offer', payload: 'v=0' }]);

  assert.equal((await refusal(ticket)).status, 403);
  // As if the old stream's client had been gone from here on.
  const last = seen.at(-1).seq;
  const again = await join(tokens[0], room);
  assert.equal(again.generation, generation + 1);
  assert.equal((await stream.closed).code, 4002);
  seen.length = 0;
  const resumed = await connected(t, ticketQuery({ ticket: again.stream.ticket, protocol: 3 }), { protocol: 3, handlers });
  await resumed.call('uSubscribe', { room: room.id, after: last });
  await until(() => seen.some((event) => event.type === 'participant.reconnected' && event.session === session));
  assert.equal(seen[0].seq, last + 1);
  assert.deepEqual(await resumed.call('uLeave', { session, generation: again.generation }), {});
  assert.deepEqual(await resumed.closed, { code: 4004, reason: 'left' });
});
