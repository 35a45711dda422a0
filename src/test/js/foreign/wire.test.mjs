// The codecs, without a server.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decode, decodeJson, encode, encodeJson, parseProto } from './wire.mjs';

const proto = parseProto(readFileSync(new URL('../../../main/proto/huddle.proto', import.meta.url), 'utf8'));

/** A message of this type with every field set, of a oneof only the chosen one. */
function full(type, choose) {
  const message = {};
  for (const field of proto.get(type)) {
    if (field.oneof && field.name !== choose(type, field.oneof)) continue;
    const value = () => ({
      string: () => `${field.name} Ä \u{1F600} \\"\n`,
      bool: () => true,
      uint32: () => 4_294_967_295 - field.number,
      int32: () => 2_147_483_647 - field.number,
      bytes: () => Buffer.from([0, 255, 128, field.number]),
    }[field.type] ?? (() => full(field.type, choose)))();
    message[field.name] = field.repeated ? [value(), value()] : value();
  }
  return message;
}

for (const type of ['ClientMessage', 'ServerMessage']) {
  const bodies = proto.get(type).filter((field) => field.oneof).map((field) => field.name);
  const operations = ['write', 'finish', 'destroy'];
  test(`${type} with each body comes back from both codecs`, () => {
    assert.ok(bodies.length >= 16);
    for (const body of bodies) {
      for (const operation of body === 'byteStreamOperation' ? operations : ['write']) {
        const message = full(type, (_, oneof) => oneof === 'body' ? body : operation);
        assert.deepEqual(decode(type, encode(type, message)), message, body);
        assert.deepEqual(decodeJson(type, encodeJson(type, message)), message, body);
      }
    }
  });
}

test('defaults are not sent and come back, a set optional keeps its default', () => {
  const message = { requestId: '', reply: false, error: '', uEchoRequest: { message: '' } };
  assert.equal(encode('ClientMessage', message).toString('hex'), '1a00fa0600');
  assert.deepEqual(decode('ClientMessage', encode('ClientMessage', message)), message);
  assert.equal(encodeJson('ClientMessage', message), '{"error":"","uEchoRequest":{}}');
  assert.deepEqual(decodeJson('ClientMessage', '{"error":"","uEchoRequest":{}}'), message);
});

test('unknown fields of each wire type are skipped', () => {
  const unknown = Buffer.from('c03e01' + 'c13e0102030405060708' + 'c23e03616263' + 'c53e01020304', 'hex');
  const bytes = Buffer.concat([unknown, encode('ServerMessage', { requestId: 'a', pingPong: {} })]);
  assert.deepEqual(decode('ServerMessage', bytes), { requestId: 'a', reply: false, pingPong: {} });
  assert.deepEqual(decodeJson('ServerMessage', '{"new":{"a":[1]},"pingPong":{"b":1}}'), { requestId: '', reply: false, pingPong: {} });
});

test('of two members of a oneof the last one counts', () => {
  const bytes = Buffer.concat([{ pingPong: {} }, { requestAck: {} }].map((body) => encode('ServerMessage', body)));
  assert.deepEqual(Object.keys(decode('ServerMessage', bytes)), ['requestId', 'reply', 'requestAck']);
});

test('a negative number takes ten bytes and comes back', () => {
  const bytes = encode('UEchoBytesRequest', { streamId: -2 });
  assert.equal(bytes.toString('hex'), '08feffffffffffffffff01');
  assert.deepEqual(decode('UEchoBytesRequest', bytes), { streamId: -2 });
});

test('what is cut off or of the wrong type is refused', () => {
  const whole = encode('ServerMessage', { requestId: 'abc', reply: true, uEchoResponse: { message: 'hello' } });
  const cuts = [...whole.keys()].filter((length) => {
    try {
      decode('ServerMessage', whole.subarray(0, length));
      return false;
    } catch {
      return true;
    }
  });
  // It may end after a whole field: after nothing, the id, the flag.
  assert.deepEqual([...whole.keys()].filter((length) => !cuts.includes(length)), [0, 5, 7]);
  assert.throws(() => decode('ServerMessage', Buffer.from('0801', 'hex')), /wrong wire type/);
  assert.throws(() => decode('ServerMessage', Buffer.from('0a02c328', 'hex')), TypeError);
  assert.throws(() => decode('ServerMessage', Buffer.from('0b', 'hex')), /no such wire type/);
});
