import { Problem, Unreachable } from './problem.js';

/** The client stream: typed calls both ways over one WebSocket, in the JSON codec. */

export const SUBPROTOCOL = 'huddle.json.v1';

const PROTOCOL = 4;
const CONNECT_MS = 15_000;
const PING_MS = 55_000;
const SILENCE_MS = 75_000;
const WATCH_MS = 5_000;
const CALL_MS = 30_000;
/** The server allows 64 at once; what is over this waits here, so that a burst of candidates closes nothing. */
const IN_FLIGHT = 48;
const WAITING = 512;
/** A receipt may be held back for three seconds; sent a little earlier, it is there in time. */
const RECEIPT_MS = 2_500;
/** Byte streams that were refused and of which more may be on its way. */
const REFUSED = 256;

const CAUSES = {
  1000: 'normal',
  1012: 'draining',
  1013: 'busy',
  4000: 'bad-argument',
  4001: 'conflict',
  4002: 'elsewhere',
  4003: 'silent',
  4004: 'ended',
  4005: 'disconnected',
};

/** The statuses of the refusals that arrive by their code alone, as by REST. */
const STATUS = {
  'stale-generation': 409,
  'room-closing': 409,
  'room-closed': 409,
  'lease-expired': 410,
  'session-ended': 410,
  'session-not-found': 404,
  'room-not-found': 404,
  'client-not-found': 404,
  forbidden: 403,
  'too-many-requests': 429,
  'unknown-method': 501,
  unavailable: 503,
};

/**
 * What a close means: its `cause`, the server's `reason`, and for a node that drains, or has no room yet, the delay in
 * milliseconds that it asks for. An unknown code, such as 1006 of a line that broke, is `lost`.
 */
export function endOf(code, reason = '') {
  const cause = CAUSES[code] ?? 'lost';
  return { code, cause, reason, delayMs: DELAYS[cause]?.(reason) ?? 0 };
}

const DELAYS = { draining: delayOf, busy: (reason) => delayOf(/after \d+ ms/.exec(reason)?.[0] ?? '') };

/** A number is milliseconds, one followed by `s` is seconds. */
function delayOf(reason) {
  const [, number, unit] = /(\d+(?:\.\d+)?)\s*(ms|s)?\b/.exec(reason) ?? [];
  const ms = number ? Number(number) * (unit === 's' ? 1000 : 1) : 0;
  return Math.min(ms, 120_000);
}

/** The error of a reply as the refusal that REST would have answered; `userError`: the input is at fault. */
export function refusalOf(error, userError) {
  const [, code, detail] = /^([a-z0-9-]+)(?:: (.*))?$/s.exec(error) ?? [null, 'error', error];
  const status = STATUS[code] ?? (userError ? 400 : 500);
  const problem = new Problem(status, { code, detail: detail ?? `The server refused: ${code.replaceAll('-', ' ')}.` });
  problem.userError = Boolean(userError);
  return problem;
}

/** Thrown by a handler: the text reaches the server as it is, marked as the caller's own fault where it is one. */
export class CallError extends Error {
  constructor(message, userError = false) {
    super(message);
    this.name = 'CallError';
    this.userError = userError;
  }
}

/**
 * One connection, from its ticket to its end: what has ended never comes back. `handlers` answers the server's calls by
 * method, `onConnected()` is told once the server has made the stream public, `onEnded(end)` once, with what `endOf`
 * says. After its end nothing is dispatched and nothing is sent: late replies find nobody.
 */
export class Stream {
  state = 'connecting';
  end = null;

  #socket;
  #handlers;
  #onConnected;
  #onEnded;
  #now;
  #calls = new Map();
  #waiting = [];
  #inFlight = 0;
  #last = 0;
  #pings = 0;
  #messages = 0;
  #refused = new Set();
  #heardAt;
  #pingedAt;
  #checking = null;
  #timers = [];

  constructor({ url, ticket }, options = {}) {
    const { handlers = {}, onConnected = () => {}, onEnded = () => {} } = options;
    const { connect = (address, protocols) => new WebSocket(address, protocols) } = options;
    const { now = () => performance.now() } = options;
    this.#handlers = handlers;
    this.#onConnected = onConnected;
    this.#onEnded = onEnded;
    this.#now = now;
    this.#heardAt = this.#pingedAt = now();
    const address = new URL(url);
    address.searchParams.set('pv', String(PROTOCOL));
    address.searchParams.set('ticket', ticket);
    this.#socket = connect(address.href, [SUBPROTOCOL]);
    this.#socket.onmessage = ({ data }) => this.#receive(data);
    this.#socket.onclose = ({ code, reason }) => this.#over(endOf(code, reason));
    this.#timers.push(setTimeout(() => this.state === 'connecting' && this.#abandon('no answer'), CONNECT_MS));
    this.#timers.push(setInterval(() => this.#watch(), WATCH_MS));
  }

  get connected() {
    return this.state === 'connected';
  }

  /**
   * Calls the server and resolves to the response. Rejects with a `Problem` where it was refused, and with
   * `Unreachable` where no answer came: then whether it took effect is unknown, and it is not repeated by itself.
   */
  call(method, request, { timeoutMs = CALL_MS } = {}) {
    if (this.state !== 'connected') return Promise.reject(new Unreachable('The stream is down.'));
    if (this.#waiting.length >= WAITING) return Promise.reject(new Unreachable('Too many calls are waiting.'));
    return new Promise((resolve, reject) => {
      const id = String(++this.#last);
      const timer = setTimeout(() => {
        this.#settle(id)?.reject(new Unreachable('The server did not answer in time.'));
      }, timeoutMs);
      this.#calls.set(id, { method, resolve, reject, timer, sent: false });
      this.#waiting.push({ id, message: { requestId: id, [`${method}Request`]: request } });
      this.#flow();
    });
  }

  /** Asks for a sign of life: a stream that gives none within the time has ended, whatever its socket believes. */
  check(withinMs = 4000) {
    if (this.state !== 'connected' || this.#checking) return;
    const before = this.#messages;
    this.#ping();
    this.#checking = setTimeout(() => {
      this.#checking = null;
      if (this.#messages === before) this.#abandon('silence');
    }, withinMs);
  }

  /** Ends the stream from here. `onEnded` is not told: whoever closes it knows. */
  close() {
    this.#onEnded = () => {};
    this.#over(endOf(1000, 'closed here'), 1000);
  }

  #receive(data) {
    if (this.state === 'ended') return;
    this.#messages++;
    this.#heardAt = this.#now();
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return this.#over(endOf(4000, 'unreadable message'), 4000);
    }
    const { requestId, reply, requestAck } = message;
    // The server needs no receipt for what it answers anyway; one that comes all the same changes nothing.
    if (message.pingPong) this.#pinged();
    else if (requestAck) return;
    else if (message.byteStreamOperation) this.#refuseBytes(message.byteStreamOperation);
    else if (reply) this.#replied(requestId, message);
    else if (requestId) this.#serve(requestId, message);
  }

  /** This client takes no byte streams. Whoever sends one is told so once, and need not go on. */
  #refuseBytes({ streamId, write }) {
    if (!write || streamId % 2 || this.#refused.has(streamId)) return;
    if (this.#refused.size >= REFUSED) this.#refused.delete(this.#refused.values().next().value);
    this.#refused.add(streamId);
    this.#send({ byteStreamOperation: { streamId, destroy: { error: 'no byte streams' } } });
  }

  /** The first ping says that the place is reserved, the second that the stream is public. */
  #pinged() {
    this.#pings++;
    if (this.#pings !== 2 || this.state !== 'connecting') return;
    this.state = 'connected';
    this.#onConnected();
  }

  #replied(id, message) {
    const call = this.#settle(id);
    // Abandoned at its deadline: the reply comes too late for anybody.
    if (!call) return;
    if (message.error) call.reject(refusalOf(message.error, message.userError));
    else call.resolve(message[`${call.method}Response`] ?? {});
  }

  async #serve(id, message) {
    const key = Object.keys(message).find((each) => each.endsWith('Request'));
    const method = key?.slice(0, -'Request'.length);
    const receipt = setTimeout(() => this.#send({ requestId: id, requestAck: {} }), RECEIPT_MS);
    try {
      const handler = Object.hasOwn(this.#handlers, method ?? '') ? this.#handlers[method] : null;
      if (!handler) throw new CallError('unknown-method');
      const response = await handler(message[key]);
      this.#send({ requestId: id, reply: true, [`${method}Response`]: response ?? {} });
    } catch (error) {
      // A defect here is told without its details.
      const told = error instanceof CallError ? error : new CallError('internal-error');
      const { message: text, userError } = told;
      this.#send({ requestId: id, reply: true, error: text, ...(userError && { userError }) });
    } finally {
      clearTimeout(receipt);
    }
  }

  #flow() {
    while (this.#inFlight < IN_FLIGHT && this.#waiting.length) {
      const { id, message } = this.#waiting.shift();
      const call = this.#calls.get(id);
      if (!call) continue;
      call.sent = true;
      this.#inFlight++;
      this.#send(message);
    }
  }

  #settle(id) {
    const call = this.#calls.get(id);
    if (!call) return null;
    this.#calls.delete(id);
    clearTimeout(call.timer);
    if (call.sent) this.#inFlight--;
    this.#flow();
    return call;
  }

  #watch() {
    const now = this.#now();
    if (now - this.#heardAt > SILENCE_MS) return this.#abandon('silence');
    if (this.state === 'connected' && now - this.#pingedAt >= PING_MS) this.#ping();
  }

  #ping() {
    this.#pingedAt = this.#now();
    this.#send({ pingPong: {} });
  }

  #send(message) {
    if (this.state === 'connected') this.#socket.send(JSON.stringify(message));
  }

  #abandon(reason) {
    this.#over(endOf(4003, reason), 4003);
  }

  /** The socket of a dead line may take minutes to close: the stream does not wait for it. */
  #over(end, code) {
    if (this.state === 'ended') return;
    Object.assign(this, { state: 'ended', end });
    [...this.#timers, this.#checking].forEach((timer) => clearTimeout(timer));
    this.#waiting = [];
    const unanswered = [...this.#calls.values()];
    this.#calls.clear();
    for (const { timer, reject } of unanswered) {
      clearTimeout(timer);
      reject(new Unreachable('The stream ended before the answer.'));
    }
    if (code) this.#socket.close(code, end.reason);
    this.#onEnded(end);
  }
}
