import { Unreachable } from './problem.js';
import { SseParser } from './sse.js';

/** The server sends a comment now and then; after this long without a byte the connection is taken for dead. */
const SILENCE_MS = 45_000;

/**
 * Listens to a room's events after `lastId` over one connection. `onOpen()` once it stands, `onSign()` with
 * whatever arrives, comments too, `onMessage(message)` for each message. Ends by throwing: the caller decides whether and when to connect again.
 */
export async function listen(api, room, lastId, { signal, onOpen, onSign = () => {}, onMessage }) {
  const abort = new AbortController();
  const end = () => abort.abort();
  signal.addEventListener('abort', end, { once: true });
  let watchdog;
  const alive = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(end, SILENCE_MS);
  };
  try {
    const response = await api.openEvents(room, lastId, abort.signal);
    onOpen();
    alive();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new SseParser();
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new Unreachable('The event stream broke off.', cause);
      });
      if (done) throw new Unreachable('The server ended the event stream.');
      alive();
      onSign();
      parser.push(decoder.decode(value, { stream: true })).forEach(onMessage);
    }
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener('abort', end);
    abort.abort();
  }
}
