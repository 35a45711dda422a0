// The client's side of RFC 6455: upgrade, frames, fragments, pings, the closing handshake. No extensions.
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';

const TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;
const LARGEST = 8 * 1024 * 1024;

/** The server answered the upgrade with something else than 101. */
export class Refused extends Error {
  constructor(status, body, headers) {
    super('the upgrade was answered with ' + status);
    Object.assign(this, { status, body, headers });
  }
}

/**
 * Opens a connection.
 *
 * @param listener {message(textOrBytes), closed(code, reason)}; both are called only after the promise's value is there
 */
export function connect(address, { protocol, headers = {}, timeoutMs = 60_000, listener }) {
  const url = new URL(address.replace(/^ws/, 'http'));
  const key = randomBytes(16).toString('base64');
  const accept = createHash('sha1').update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      timeout: timeoutMs,
      headers: {
        ...headers,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': 13,
        'Sec-WebSocket-Key': key,
        ...(protocol ? { 'Sec-WebSocket-Protocol': protocol } : {}),
      },
    });
    request.on('upgrade', (response, socket, head) => {
      if (response.headers['sec-websocket-accept'] !== accept || response.headers['sec-websocket-protocol'] !== protocol) {
        socket.destroy();
        return reject(new Error('the server did not answer this upgrade'));
      }
      const connection = new Connection(socket, listener);
      resolve(connection);
      // The listener's owner first gets the connection, then what came with the answer.
      setImmediate(() => connection.start(head));
    });
    request.on('response', async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      reject(new Refused(response.statusCode, Buffer.concat(chunks).toString('utf8'), response.headers));
    });
    request.on('timeout', () => request.destroy(new Error('no answer to the upgrade')));
    request.on('error', reject);
    request.end();
  });
}

/** One frame of a client: final, masked. */
export function frame(opcode, payload, mask = randomBytes(4), final = true) {
  const size = payload.length;
  const length = size < 126 ? [size]
    : size < 65_536 ? [126, size >>> 8, size & 255]
      : [127, 0, 0, 0, 0, size >>> 24, (size >>> 16) & 255, (size >>> 8) & 255, size & 255];
  length[0] |= 128;
  const masked = Buffer.from(payload);
  for (let i = 0; i < masked.length; i++) masked[i] ^= mask[i & 3];
  return Buffer.concat([Buffer.from([(final ? 128 : 0) | opcode, ...length]), mask, masked]);
}

/** Takes bytes as they come and gives the server's frames: {final, opcode, payload}. Throws on what no server may send. */
export class Frames {
  #chunks = [];
  #length = 0;

  *push(chunk) {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (let one; (one = this.#next());) yield one;
  }

  #next() {
    if (this.#length < 2) return undefined;
    const start = this.#peek(Math.min(this.#length, 10));
    if (start[0] & 0x70 || start[1] & 128) throw new Error('reserved bits, or a masked frame of the server');
    let length = start[1];
    let header = 2;
    if (length === 126) {
      if (start.length < 4) return undefined;
      length = start.readUInt16BE(2);
      header = 4;
    } else if (length === 127) {
      if (start.length < 10) return undefined;
      if (start.readUInt32BE(2) !== 0) throw new Error('a frame is too large');
      length = start.readUInt32BE(6);
      header = 10;
    }
    if (length > LARGEST) throw new Error('a frame is too large');
    if (this.#length < header + length) return undefined;
    const whole = this.#peek(header + length);
    const rest = this.#chunks[0].subarray(header + length);
    this.#chunks[0] = rest;
    this.#length -= header + length;
    return { final: (whole[0] & 128) !== 0, opcode: whole[0] & 15, payload: whole.subarray(header) };
  }

  /** The first bytes in one piece; they become the first chunk. Joins only when they are needed, so in linear time. */
  #peek(length) {
    if (this.#chunks[0].length < length) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0].subarray(0, length);
  }
}

class Connection {
  #socket;
  #listener;
  #frames = new Frames();
  #opcode = 0;
  #parts = [];
  #size = 0;
  #closeSent = false;
  #closed = false;

  constructor(socket, listener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => this.#ended(1006, ''));
    socket.on('end', () => socket.end());
  }

  start(head) {
    const received = (bytes) => {
      try {
        for (const one of this.#frames.push(bytes)) this.#take(one);
      } catch (broken) {
        this.close(1002, broken.message);
        this.#socket.destroy();
      }
    };
    received(head);
    this.#socket.on('data', received);
  }

  #take({ final, opcode, payload }) {
    if (this.#closed) return;
    if (opcode === PING) return void this.#write(frame(PONG, payload));
    if (opcode === PONG) return;
    if (opcode === CLOSE) {
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      if (!this.#closeSent) this.#write(frame(CLOSE, payload.subarray(0, 2)));
      this.#closeSent = true;
      this.#ended(code, payload.subarray(2).toString('utf8'));
      return void this.#socket.end();
    }
    if (opcode === 0 ? this.#opcode === 0 : this.#opcode !== 0 || (opcode !== TEXT && opcode !== BINARY)) {
      throw new Error('a frame out of place');
    }
    this.#opcode ||= opcode;
    this.#parts.push(payload);
    this.#size += payload.length;
    if (this.#size > LARGEST) throw new Error('a message is too large');
    if (!final) return;
    const message = Buffer.concat(this.#parts);
    const text = this.#opcode === TEXT;
    this.#opcode = this.#size = 0;
    this.#parts = [];
    this.#listener.message(text ? new TextDecoder('utf-8', { fatal: true }).decode(message) : message);
  }

  /** Sends a text or a Buffer. */
  send(data) {
    if (this.#closeSent || this.#closed) return;
    this.#write(typeof data === 'string' ? frame(TEXT, Buffer.from(data, 'utf8')) : frame(BINARY, data));
  }

  /** Resolves when the socket has taken what was sent. */
  drained() {
    if (!this.#socket.writableNeedDrain || this.#socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#socket.off('drain', done).off('close', done);
        resolve();
      };
      this.#socket.on('drain', done).on('close', done);
    });
  }

  /** Sends bytes as they are; for tests of what a server must refuse. */
  raw(bytes) {
    this.#write(bytes);
  }

  /** Begins the closing handshake; breaks the connection if the server does not answer it in time. */
  close(code, reason = '') {
    if (this.#closeSent || this.#closed) return;
    this.#closeSent = true;
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
    payload.writeUInt16BE(code);
    payload.write(reason, 2);
    this.#write(frame(CLOSE, payload.subarray(0, 125)));
    setTimeout(() => this.#socket.destroy(), 5_000).unref();
  }

  #write(bytes) {
    if (!this.#socket.destroyed && this.#socket.writable) this.#socket.write(bytes);
  }

  #ended(code, reason) {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener.closed(code, reason);
  }
}
