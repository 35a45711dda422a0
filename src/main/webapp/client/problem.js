import { retryAfter } from './backoff.js';

const TRANSIENT = new Set([429, 502, 503, 504]);

/** A refusal by the server: RFC 9457 where it sent one. `code` is the slug to branch on. */
export class Problem extends Error {
  constructor(status, members = {}, retryAfterMs = 0) {
    super(members.detail ?? members.title ?? `The server answered ${status}.`);
    this.name = 'Problem';
    this.status = status;
    this.code = members.code ?? `http-${status}`;
    this.members = members;
    this.retryAfterMs = retryAfterMs;
  }

  static async of(response) {
    const type = response.headers.get('Content-Type') ?? '';
    const wait = retryAfter(response.headers.get('Retry-After'), Date.now());
    // A proxy, or the container itself, answers in HTML: nothing of that is fit to be shown.
    const members = /\bjson\b/.test(type) ? await response.json().catch(() => ({})) : {};
    return new Problem(response.status, members, wait);
  }
}

/** No answer came: no network, no server, or not in time. Whether the request took effect is unknown. */
export class Unreachable extends Error {
  constructor(message, cause) {
    super(message, { cause });
    this.name = 'Unreachable';
  }
}

/** Whether the same request may well succeed a little later. */
export function isTransient(error) {
  return error instanceof Unreachable || (error instanceof Problem && TRANSIENT.has(error.status));
}
