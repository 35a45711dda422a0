import { backoff } from '../client/backoff.js';
import { pause } from '../client/retry.js';

const EVERY_MS = 2000;

/**
 * Asks for the overview every two seconds while the page is seen, with the validator of the answer it has: mostly the
 * server says that nothing has changed. `onFigures(overview)` with each new one, `onChange()` when something has happened
 * since the one before, `onStatus({ kind, words })` with `live`, `down` or `paused`.
 */
export class Live {
  #admin;
  #told;
  #stop = new AbortController();

  constructor(admin, told) {
    this.#admin = admin;
    this.#told = told;
  }

  async start() {
    const { signal } = this.#stop;
    let etag = null;
    for (let failures = 0; !signal.aborted; ) {
      if (document.hidden) {
        this.#told.onStatus({ kind: 'paused', words: 'Paused while hidden' });
        await seen(signal);
        continue;
      }
      try {
        const known = etag;
        const answer = await this.#admin.overview(known, { signal });
        if (signal.aborted) return;
        failures = 0;
        etag = answer.etag;
        this.#told.onStatus({ kind: 'live', words: 'Live' });
        if (answer.overview) {
          this.#told.onFigures(answer.overview);
          if (known) this.#told.onChange();
        }
        await pause(EVERY_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#told.onStatus({ kind: 'down', words: error.status === 403 ? 'Not an operator' : 'Not connected' });
        await pause(backoff(failures++, Math.random(), error.retryAfterMs), signal);
      }
    }
  }

  stop() {
    this.#stop.abort();
  }
}

function seen(signal) {
  return new Promise((resolve) => {
    const done = () => {
      document.removeEventListener('visibilitychange', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    document.addEventListener('visibilitychange', done);
    signal.addEventListener('abort', done);
  });
}
