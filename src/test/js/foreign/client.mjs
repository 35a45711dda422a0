// A client of Huddle's stream in plain Node, written from src/docs/stream-protocol.md and huddle.proto alone.
import { connect } from './websocket.mjs';
import { decode, decodeJson, encode, encodeJson } from './wire.mjs';

const CONNECT_MS = 60_000;
const PING_MS = 55_000;
const SILENCE_MS = 75_000;
const LOOK_MS = 15_000;
const CALL_MS = 30_000;
const LATE_MS = 60_000;
const RECEIPT_MS = 2_000;
const IN_FLIGHT = 63;
const QUEUED = 1_024;
const UNCLAIMED_MS = 5_000;
const UNCLAIMED_BYTES = 2 * 1024 * 1024;
const UNCLAIMED_IDS = 1_024;
const RECEIVE_BYTES = 8 * 1024 * 1024;

/** A call that failed: by the server's answer, or by one of `delivery-indeterminate`, `deadline-exceeded`, `disconnected`. */
export class CallError extends Error {
  constructor(message, userError = false) {
    super(message);
    this.userError = userError;
  }
}

/**
 * One stream, from its handshake to its end.
 *
 * @param address ws://host/stream
 * @param query of the handshake, see signature.mjs
 * @param handlers by method, for instance {dCall: async ({type, data}) => ({data})}
 */
export async function open(address, { query, protocol = 4, json = false, handlers = {}, headers, receiptMs = RECEIPT_MS }) {
  const stream = new Stream({ protocol, json, handlers, receiptMs });
  const connection = await connect(`${address}?${query}`, {
    protocol: json ? 'huddle.json.v1' : 'huddle.protobuf.v1',
    headers,
    timeoutMs: CONNECT_MS,
    listener: stream.listener,
  });
  return stream.connected(connection);
}

class Stream {
  /** Resolves with {code, reason}. */
  closed;
  /** The ids of own requests for which the server sent a receipt. */
  receipts = new Set();
  listener = { message: (data) => this.#received(data), closed: (code, reason) => this.#ended(code, reason) };

  #options;
  #connection;
  #dead = false;
  #pings = 0;
  #lastSign = Date.now();
  #timers = [];
  #isConnected;
  #isNotConnected;
  #isClosed;

  #nextId = 1;
  #waiting = new Map();
  #queue = [];
  #late = new Map();

  #nextBytes = 1;
  #senders = new Set();
  #receivers = new Map();
  #unclaimedBytes = 0;
  /** The last ids that are over; what was under way for them is dropped. */
  #over = new Set();

  constructor(options) {
    this.#options = options;
    this.closed = new Promise((resolve) => { this.#isClosed = resolve; });
  }

  /** Resolves with this stream at the second ping; rejects, naming the code, if it is closed before. */
  connected(connection) {
    this.#connection = connection;
    if (this.#dead) return Promise.reject(new Error('closed before it was connected'));
    const limit = setTimeout(() => this.#fail(1000, 'not connected in time'), CONNECT_MS);
    return new Promise((resolve, reject) => {
      this.#isConnected = () => { clearTimeout(limit); resolve(this); };
      this.#isNotConnected = (code, reason) => {
        clearTimeout(limit);
        reject(Object.assign(new Error(`closed with ${code} ${reason}`), { code, reason }));
      };
    });
  }

  /** How many pings of the server have come. */
  get pings() {
    return this.#pings;
  }

  get isDead() {
    return this.#dead;
  }

  close(code = 1000, reason = '') {
    this.#connection.close(code, reason);
  }

  /** What goes over the wire as it is; for tests of what a server must refuse. */
  get connection() {
    return this.#connection;
  }

  // ---- calls

  /** Calls a method: call('uEcho', {message}). Gives the response's fields, or throws a CallError. */
  call(method, fields = {}, { deadlineMs = CALL_MS, trace } = {}) {
    if (this.#dead) return Promise.reject(new CallError('disconnected'));
    if (this.#queue.length >= QUEUED) return Promise.reject(new CallError('backpressure'));
    return new Promise((resolve, reject) => {
      const call = { id: 'r' + this.#nextId++, method, fields, trace, resolve, reject, sent: false };
      call.timer = setTimeout(() => this.#missed(call), deadlineMs);
      this.#queue.push(call);
      this.#sendQueued();
    });
  }

  /** At most so many requests are under way; more would close the stream. */
  #sendQueued() {
    while (this.#waiting.size < IN_FLIGHT && this.#queue.length > 0) {
      const call = this.#queue.shift();
      call.sent = true;
      this.#waiting.set(call.id, call);
      this.send({ requestId: call.id, trace: call.trace, [call.method + 'Request']: call.fields });
    }
  }

  #missed(call) {
    if (call.sent) {
      this.#waiting.delete(call.id);
      this.#late.set(call.id, Date.now());
    } else {
      this.#queue.splice(this.#queue.indexOf(call), 1);
    }
    call.reject(new CallError(call.sent ? 'delivery-indeterminate' : 'deadline-exceeded'));
    this.#sendQueued();
  }

  /** Sends a ClientMessage. */
  send(message) {
    if (this.#dead) return;
    this.#connection.send(this.#options.json ? encodeJson('ClientMessage', message) : encode('ClientMessage', message));
  }

  #received(data) {
    if (this.#dead) return;
    this.#lastSign = Date.now();
    let message;
    try {
      if ((typeof data === 'string') !== this.#options.json) throw new Error('a frame of the other codec');
      message = this.#options.json ? decodeJson('ServerMessage', data) : decode('ServerMessage', data);
    } catch (broken) {
      return this.#fail(4000, broken.message);
    }
    if (message.pingPong) this.#pinged();
    else if (message.byteStreamOperation) this.#bytes(message.byteStreamOperation);
    else if (message.requestAck) this.receipts.add(message.requestId);
    else if (message.reply) this.#replied(message);
    else this.#requested(message);
  }

  #pinged() {
    if (++this.#pings !== 2) return;
    this.#timers.push(
      setInterval(() => this.send({ pingPong: {} }), PING_MS),
      setInterval(() => { if (Date.now() - this.#lastSign > SILENCE_MS) this.#fail(4003, 'silence'); }, LOOK_MS),
    );
    this.#isConnected();
  }

  #replied(message) {
    const call = this.#waiting.get(message.requestId);
    if (!call) return this.#repliedLate(message.requestId);
    clearTimeout(call.timer);
    this.#waiting.delete(call.id);
    if (message.error !== undefined) call.reject(new CallError(message.error, message.userError === true));
    else if (message[call.method + 'Response']) call.resolve(message[call.method + 'Response']);
    else this.#fail(4000, 'a reply of another method');
    this.#sendQueued();
  }

  #repliedLate(id) {
    const now = Date.now();
    for (const [old, since] of this.#late) if (now - since > LATE_MS) this.#late.delete(old);
    if (!this.#late.delete(id)) this.#fail(4000, 'a reply to no request');
  }

  async #requested(message) {
    const id = message.requestId;
    const field = Object.keys(message).find((name) => name.endsWith('Request'));
    const method = field?.slice(0, -'Request'.length);
    const receipt = this.#options.protocol < 4 ? undefined
      : setTimeout(() => this.send({ requestId: id, requestAck: {} }), this.#options.receiptMs);
    const reply = await this.#handled(method, message[field]);
    clearTimeout(receipt);
    this.send({ requestId: id, reply: true, ...reply });
  }

  async #handled(method, request) {
    const handler = this.#options.handlers[method];
    if (!handler) return { error: 'unknown-method', userError: true };
    try {
      return { [method + 'Response']: await handler(request) };
    } catch (failure) {
      return failure instanceof CallError ? { error: failure.message, userError: failure.userError } : { error: 'internal-error' };
    }
  }

  // ---- byte streams

  /** Opens a byte stream to the server: {id, write(chunk), finish(), destroy(reason)}; await each write. */
  sendBytes() {
    const id = this.#nextBytes;
    this.#nextBytes += 2;
    this.#senders.add(id);
    const operate = (operation) => {
      if (this.#dead || !this.#senders.has(id)) throw new CallError('the byte stream has ended');
      this.send({ byteStreamOperation: { streamId: id, ...operation } });
    };
    const last = (operation) => { operate(operation); this.#senders.delete(id); };
    return {
      id,
      write: async (chunk) => { operate({ write: { chunk } }); await this.#connection.drained(); },
      finish: () => last({ finish: {} }),
      destroy: (reason) => last({ destroy: { error: reason } }),
    };
  }

  /** The chunks of a byte stream of the server; leaving the loop early destroys it. */
  async *receiveBytes(id) {
    const receiver = this.#receiver(id);
    clearTimeout(receiver.unclaimed);
    receiver.unclaimed = undefined;
    this.#unclaimedBytes -= receiver.bytes;
    let complete = false;
    try {
      for (;;) {
        if (receiver.chunks.length > 0) {
          const chunk = receiver.chunks.shift();
          receiver.bytes -= chunk.length;
          yield chunk;
        } else if (receiver.error !== undefined) {
          throw new CallError(receiver.error);
        } else if (receiver.finished) {
          complete = true;
          return;
        } else {
          await new Promise((resolve) => { receiver.wake = resolve; });
        }
      }
    } finally {
      this.#forget(id);
      if (!complete && receiver.error === undefined) this.send({ byteStreamOperation: { streamId: id, destroy: {} } });
    }
  }

  #receiver(id) {
    let receiver = this.#receivers.get(id);
    if (!receiver) {
      receiver = { chunks: [], bytes: 0, finished: false, error: undefined, wake: () => {}, unclaimed: undefined };
      receiver.unclaimed = setTimeout(() => this.#dropUnclaimed(id, receiver), UNCLAIMED_MS);
      this.#receivers.set(id, receiver);
    }
    return receiver;
  }

  #dropUnclaimed(id, receiver) {
    clearTimeout(receiver.unclaimed);
    this.#unclaimedBytes -= receiver.bytes;
    this.#forget(id);
    this.send({ byteStreamOperation: { streamId: id, destroy: { error: 'nobody asked for it' } } });
  }

  #forget(id) {
    this.#receivers.delete(id);
    this.#over.add(id);
    if (this.#over.size > UNCLAIMED_IDS) this.#over.delete(this.#over.values().next().value);
  }

  #bytes({ streamId, write, finish, destroy }) {
    if (streamId % 2 === 1) {
      // Of our own senders the server can only say that it wants no more.
      if (!destroy) return this.#fail(4000, 'a byte stream with an id of ours');
      return void this.#senders.delete(streamId);
    }
    if (this.#over.has(streamId)) return;
    if (!this.#receivers.has(streamId) && this.#receivers.size >= UNCLAIMED_IDS) return this.#fail(4000, 'too many byte streams');
    const receiver = this.#receiver(streamId);
    if (receiver.finished || receiver.error !== undefined) return this.#fail(4000, 'a byte stream goes on after its end');
    if (write) this.#written(streamId, receiver, write.chunk);
    if (finish) receiver.finished = true;
    if (destroy) receiver.error = destroy.error ?? 'destroyed';
    receiver.wake();
  }

  #written(id, receiver, chunk) {
    receiver.chunks.push(chunk);
    receiver.bytes += chunk.length;
    if (receiver.unclaimed) {
      this.#unclaimedBytes += chunk.length;
      if (this.#unclaimedBytes > UNCLAIMED_BYTES) this.#dropUnclaimed(id, receiver);
    } else if (receiver.bytes > RECEIVE_BYTES) {
      // One slow consumer must not hold up everything else of this connection.
      receiver.error = 'too slow';
      this.send({ byteStreamOperation: { streamId: id, destroy: { error: 'too slow' } } });
    }
  }

  // ---- the end

  /** The other side broke a rule, or is silent. */
  #fail(code, reason) {
    this.#connection.close(code, reason);
    this.#ended(code, reason);
  }

  #ended(code, reason) {
    if (this.#dead) return;
    this.#dead = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#isNotConnected?.(code, reason);
    for (const call of [...this.#waiting.values(), ...this.#queue]) {
      clearTimeout(call.timer);
      call.reject(new CallError(call.sent ? 'delivery-indeterminate' : 'disconnected'));
    }
    for (const receiver of this.#receivers.values()) {
      clearTimeout(receiver.unclaimed);
      receiver.error ??= 'disconnected';
      receiver.wake();
    }
    this.#isClosed({ code, reason });
  }
}
