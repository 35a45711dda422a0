import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SseParser } from '../../main/webapp/client/sse.js';

const STREAM =
  '\uFEFF: hello\n\nid: 7\ndata: {"a":1}\n\n' +
  'event: snapshot\r\nid:8\r\ndata: one\r\ndata: two\r\n\r\n' +
  ': keep-alive\r\rdata\r\rdata: last\n\n';
const MESSAGES = [
  { event: 'message', data: '{"a":1}', id: '7' },
  { event: 'snapshot', data: 'one\ntwo', id: '8' },
  { event: 'message', data: '', id: null },
  { event: 'message', data: 'last', id: null },
];

test('stream_inOnePiece_isParsed', () => {
  assert.deepEqual(new SseParser().push(STREAM), MESSAGES);
});

test('stream_cutAnywhere_isParsedTheSame', () => {
  for (let cut = 0; cut <= STREAM.length; cut++) {
    const parser = new SseParser();
    assert.deepEqual([...parser.push(STREAM.slice(0, cut)), ...parser.push(STREAM.slice(cut))], MESSAGES, `cut at ${cut}`);
  }
});

test('stream_characterByCharacter_isParsedTheSame', () => {
  const parser = new SseParser();
  assert.deepEqual([...STREAM].flatMap((char) => parser.push(char)), MESSAGES);
});

test('message_withoutEnd_isNotDispatched', () => {
  assert.deepEqual(new SseParser().push('data: half\n'), []);
});

test('message_withoutBound_isRefused', () => {
  const parser = new SseParser();
  const piece = `data: ${'x'.repeat(100_000)}\n`;
  assert.throws(() => {
    for (let count = 0; count < 20; count++) parser.push(piece);
  }, RangeError);
});
