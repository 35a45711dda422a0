// What src/docs/stream-protocol.md shows is true: the worked example, and each message in both codecs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { canonical, sign, signedQuery } from './signature.mjs';
import { decode, decodeJson, encode, encodeJson } from './wire.mjs';

const page = readFileSync(new URL('../../../docs/stream-protocol.md', import.meta.url), 'utf8');

/** The fenced blocks of this kind, in order. */
const blocks = (kind) => [...page.matchAll(/^```(.*)\n([^]*?)\n```$/gm)].filter((block) => block[1] === kind).map((block) => block[2]);

const NAMED = ['pv', 'appv', 'ts', 'nonce', 'aud', 'id', 'cid'];

test('the worked example signs as the page says', () => {
  const secret = /The secret is `([^`]+)`/.exec(page)[1];
  const query = Object.fromEntries(new URLSearchParams(blocks('query example')[0]));
  const metadata = Object.fromEntries(Object.entries(query).filter(([name]) => !NAMED.includes(name)));
  const text = canonical({
    path: '/stream', audience: query.aud, appv: query.appv, ts: query.ts, nonce: query.nonce, id: query.id, cid: query.cid,
    protocol: query.pv, supersede: '0', capabilities: '', metadata,
  });
  assert.equal(Object.keys(metadata).length, 4);
  assert.equal(text, blocks('canonical example')[0]);
  assert.equal(Buffer.byteLength(text), Number(/one line of (\d+) bytes/.exec(page)[1]));
  assert.equal(sign(secret, text), blocks('signature example')[0]);

  const own = new URLSearchParams(signedQuery({
    client: query.cid, secret, appv: query.appv, ts: query.ts, nonce: query.nonce, id: query.id, metadata,
  }));
  assert.equal(own.get('signature'), blocks('signature example')[0]);
  for (const [name, value] of Object.entries(query)) assert.equal(own.get(name), value);
});

for (const [kind, type] of [['json client', 'ClientMessage'], ['json server', 'ServerMessage']]) {
  test(`each example of a ${type} comes back from both codecs as it is printed`, () => {
    const examples = blocks(kind);
    assert.ok(examples.length >= 14);
    for (const example of examples) {
      const message = decodeJson(type, example);
      assert.deepEqual(JSON.parse(encodeJson(type, decode(type, encode(type, message)))), JSON.parse(example), example);
    }
  });
}

test('the bytes of the first example are those that are printed', () => {
  const printed = blocks('hex client')[0].replace(/\s/g, '');
  assert.equal(encode('ClientMessage', decodeJson('ClientMessage', blocks('json client')[0])).toString('hex'), printed);
});
