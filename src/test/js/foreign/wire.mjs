// Both codecs of the stream for the messages of huddle.proto, which is read at run time. Messages are plain objects with
// the field names of the JSON mapping; scalars that are not sent have their default, everything else is undefined.
import { readFileSync } from 'node:fs';

const SCALARS = { string: '', bool: false, uint32: 0, int32: 0, bytes: Buffer.alloc(0) };

/** Reads the part of the language that huddle.proto uses; gives the messages by name. */
export function parseProto(text) {
  const tokens = text.replace(/\/\/.*$/gm, '').match(/"[^"]*"|[A-Za-z_][\w.]*|\d+|[{}=;]/g);
  const messages = new Map();
  let at = 0;
  const skipStatement = () => { while (tokens[at++] !== ';'); };

  function message(outer) {
    const name = outer + tokens[at++];
    const fields = [];
    messages.set(name, fields);
    at++; // {
    body(name, fields, undefined);
  }

  function body(name, fields, oneof) {
    while (tokens[at] !== '}') {
      if (tokens[at] === 'message') { at++; message(name + '.'); }
      else if (tokens[at] === 'oneof') { const group = tokens[at + 1]; at += 3; body(name, fields, group); }
      else field(fields, oneof);
    }
    at++; // }
  }

  function field(fields, oneof) {
    const label = ['optional', 'repeated'].includes(tokens[at]) ? tokens[at++] : '';
    const [type, snake, , number] = tokens.slice(at, at += 4);
    skipStatement();
    const name = snake.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    fields.push({ name, type, number: Number(number), oneof, repeated: label === 'repeated', optional: label === 'optional' });
  }

  while (at < tokens.length) {
    if (tokens[at] === 'message') { at++; message(''); } else skipStatement();
  }
  for (const [name, fields] of messages) {
    for (const field of fields) {
      // A nested message is found before one of the same name outside.
      if (!(field.type in SCALARS)) field.type = messages.has(`${name}.${field.type}`) ? `${name}.${field.type}` : field.type;
    }
  }
  return messages;
}

const MESSAGES = parseProto(readFileSync(new URL('../../../main/proto/huddle.proto', import.meta.url), 'utf8'));

const isScalar = (field) => field.type in SCALARS;
const hasPresence = (field) => field.optional || field.oneof !== undefined || (!isScalar(field) && !field.repeated);
const isDefault = (value) => value === '' || value === 0 || value === false || value.length === 0;

/** The fields of a message that go on the wire: [field, value], a repeated one once for each value. */
function* sent(type, message) {
  for (const field of MESSAGES.get(type)) {
    const value = message[field.name];
    if (value === undefined || (!hasPresence(field) && isDefault(value))) continue;
    yield [field, value];
  }
}

function blank(type) {
  const message = {};
  for (const field of MESSAGES.get(type)) {
    if (!hasPresence(field)) message[field.name] = field.repeated ? [] : SCALARS[field.type];
  }
  return message;
}

// ---- binary

function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}

function encodeValue(field, value) {
  if (field.type === 'bool') return [0, varint(value ? 1 : 0)];
  if (field.type === 'uint32' || field.type === 'int32') return [0, varint(value)];
  const bytes = isScalar(field) ? Buffer.from(value) : encode(field.type, value);
  return [2, Buffer.concat([varint(bytes.length), bytes])];
}

export function encode(type, message) {
  const parts = [];
  for (const [field, value] of sent(type, message)) {
    for (const one of field.repeated ? value : [value]) {
      const [wireType, bytes] = encodeValue(field, one);
      parts.push(varint(field.number * 8 + wireType), bytes);
    }
  }
  return Buffer.concat(parts);
}

export function decode(type, bytes) {
  const message = blank(type);
  let at = 0;
  const number = () => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      if (at >= bytes.length || shift > 63n) throw new Error('a number is cut off');
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length) => {
    if (length > bytes.length - at) throw new Error('a field is cut off');
    return bytes.subarray(at, at += length);
  };
  while (at < bytes.length) {
    const tag = Number(number());
    const raw = rawValue(tag & 7, number, take);
    const field = MESSAGES.get(type).find((known) => known.number === tag >>> 3);
    if (field) put(message, type, field, decodeValue(field, raw)); // unknown fields are ignored
  }
  return message;
}

function rawValue(wireType, number, take) {
  switch (wireType) {
    case 0: return number();
    case 1: return take(8);
    case 2: return take(Number(number()));
    case 5: return take(4);
    default: throw new Error('no such wire type: ' + wireType);
  }
}

function decodeValue(field, raw) {
  if ((typeof raw === 'bigint') !== ['bool', 'uint32', 'int32'].includes(field.type)) throw new Error('wrong wire type of ' + field.name);
  switch (field.type) {
    case 'bool': return raw !== 0n;
    case 'uint32': return Number(BigInt.asUintN(32, raw));
    case 'int32': return Number(BigInt.asIntN(32, raw));
    case 'string': return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
    case 'bytes': return Buffer.from(raw);
    default: return decode(field.type, raw);
  }
}

function put(message, type, field, value) {
  if (field.repeated) return void message[field.name].push(value);
  for (const other of MESSAGES.get(type)) if (field.oneof && other.oneof === field.oneof) delete message[other.name];
  message[field.name] = value;
}

// ---- JSON

export function encodeJson(type, message) {
  return JSON.stringify(toJson(type, message));
}

function toJson(type, message) {
  const json = {};
  for (const [field, value] of sent(type, message)) {
    const one = (single) => field.type === 'bytes' ? Buffer.from(single).toString('base64')
      : isScalar(field) ? single : toJson(field.type, single);
    json[field.name] = field.repeated ? value.map(one) : one(value);
  }
  return json;
}

export function decodeJson(type, text) {
  return fromJson(type, JSON.parse(text));
}

function fromJson(type, json) {
  const message = blank(type);
  for (const field of MESSAGES.get(type)) {
    const value = json[field.name];
    if (value === undefined || value === null) continue;
    const one = (single) => field.type === 'bytes' ? Buffer.from(single, 'base64')
      : isScalar(field) ? single : fromJson(field.type, single);
    message[field.name] = field.repeated ? value.map(one) : one(value);
  }
  return message;
}
