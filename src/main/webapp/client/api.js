import { ServerClock } from './clock.js';
import { Problem, Unreachable } from './problem.js';

const TIMEOUT_MS = 10_000;

/**
 * The REST contract, one method a call. Refusals are thrown as `Problem`, missing answers as `Unreachable`.
 * `token(fresh)` resolves to a bearer token, a new one where `fresh` is true; tokens never go into a URL.
 */
export class Api {
  #base;
  #token;

  constructor({ base = '/api/v1', token, clock = new ServerClock() }) {
    this.#base = base;
    this.#token = token;
    this.clock = clock;
  }

  async rooms(query, options) {
    return (await this.#call('GET', `/rooms?${new URLSearchParams(query)}`, options)).body;
  }

  async createRoom(room, key) {
    return (await this.#call('POST', '/rooms', { body: room, headers: { 'Idempotency-Key': key } })).body;
  }

  async room(room, options) {
    return (await this.#call('GET', path(room), options)).body;
  }

  async closeRoom(room) {
    return (await this.#call('POST', `${path(room)}/close`)).body;
  }

  async join(room, key) {
    const headers = { 'Idempotency-Key': key };
    return (await this.#call('POST', `${path(room)}/sessions`, { body: {}, headers })).body;
  }

  async renew(room, session, { generation, counter }, options) {
    const body = { generation, counter };
    return (await this.#call('PUT', `${path(room, session)}/lease`, { ...options, body })).body;
  }

  async suspend(room, session, { generation, counter }, options) {
    const body = { generation, counter };
    return (await this.#call('POST', `${path(room, session)}/suspend`, { ...options, body })).body;
  }

  async media(room, session, report, options) {
    await this.#call('POST', `${path(room, session)}/media`, { ...options, body: report });
  }

  async leave(room, session, generation, options) {
    await this.#call('DELETE', `${path(room, session)}?generation=${generation}`, options);
  }

  /** Resolves to `{ roster, etag }`, with `roster` null where it is not modified. */
  async roster(room, etag, options) {
    const headers = etag ? { 'If-None-Match': etag } : {};
    const reply = await this.#call('GET', `${path(room)}/roster`, { ...options, headers });
    return { roster: reply.body, etag: reply.headers.get('ETag') ?? etag };
  }

  async events(room, after, options) {
    return (await this.#call('GET', `${path(room)}/events?after=${after}`, options)).body;
  }

  /** Resolves to the response of an open event stream as soon as its header is here; the signal ends it. */
  async openEvents(room, lastId, signal) {
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': String(lastId) };
    return this.#exchange('GET', `${path(room)}/events`, { headers, signal, stays: true }, (response) => {
      const type = response.headers.get('Content-Type') ?? '';
      if (!type.startsWith('text/event-stream')) throw new Unreachable('The server sent no event stream.');
      return response;
    });
  }

  /** Any other call of the contract, by its path below the base: resolves to `{ body, headers }`. */
  request(method, target, options) {
    return this.#call(method, target, options);
  }

  async #call(method, target, options = {}) {
    const sent = this.clock.local();
    return this.#exchange(method, target, options, async (response) => {
      const body = response.status === 204 || response.status === 304 ? null : await response.json();
      const time = body?.serverTime ?? body?.asOf;
      if (time) this.clock.sample(time, sent, this.clock.local());
      return { body, headers: response.headers };
    });
  }

  async #exchange(method, target, { body, headers, signal, stays, keepalive, timeoutMs = TIMEOUT_MS }, read) {
    const abort = new AbortController();
    const forward = () => abort.abort();
    if (signal?.aborted) abort.abort();
    signal?.addEventListener('abort', forward, { once: true });
    const timer = setTimeout(forward, timeoutMs);
    const request = {
      method,
      headers: {
        Accept: 'application/json',
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body && JSON.stringify(body),
      // The browser's own cache would answer a roster in the place of the server.
      cache: 'no-store',
      credentials: 'omit',
      keepalive,
      signal: abort.signal,
    };
    try {
      let response = await this.#fetch(target, request, false);
      if (response.status === 401) response = await this.#fetch(target, request, true);
      if (!response.ok && response.status !== 304) throw await Problem.of(response);
      return await read(response);
    } catch (error) {
      if (error instanceof Problem || error instanceof Unreachable) throw error;
      const late = abort.signal.aborted && !signal?.aborted;
      throw new Unreachable(late ? 'The server did not answer in time.' : 'The server cannot be reached.', error);
    } finally {
      clearTimeout(timer);
      if (!stays) signal?.removeEventListener('abort', forward);
    }
  }

  async #fetch(target, request, fresh) {
    const token = await this.#token(fresh);
    const headers = { ...request.headers, Authorization: `Bearer ${token}` };
    return fetch(this.#base + target, { ...request, headers });
  }
}

function path(room, session) {
  const at = `/rooms/${encodeURIComponent(room)}`;
  return session ? `${at}/sessions/${encodeURIComponent(session)}` : at;
}
