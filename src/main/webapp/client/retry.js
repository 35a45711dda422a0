import { backoff } from './backoff.js';
import { isTransient } from './problem.js';

/** An idempotency key: one for each intent of the user, the same for all tries of it. */
export function newKey() {
  // Not randomUUID: that is missing where a page is served over plain http in a test network.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Resolves after the time has passed, or at once when the signal is aborted. */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}

/**
 * Runs an idempotent attempt until it succeeds, is refused for good, or the tries are used up.
 * `onWait(error, ms)` is told before each wait.
 */
export async function retrying(attempt, { tries = 6, signal, onWait = () => {} } = {}) {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error) || failures + 1 >= tries || signal?.aborted) throw error;
      const wait = backoff(failures, Math.random(), error.retryAfterMs);
      onWait(error, wait);
      await pause(wait, signal);
      if (signal?.aborted) throw error;
    }
  }
}
