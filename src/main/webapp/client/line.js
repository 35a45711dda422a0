import { backoff } from './backoff.js';
import { Stream } from './stream.js';

/** A stream that stood for so long was no failure. */
const STEADY_MS = 5000;

/**
 * The stream of a membership, one after the other: opened with a grant, and whatever an older one still says finds that
 * it is no longer this one. Decides when the next may be tried; getting a grant for it is the owner's business.
 *
 * `onChange(stream)` with each stream that stands, and null when it stands no more; `onLost(end, waitMs)` when one broke
 * or could not be opened, with what `endOf` says and how long to wait.
 */
export class Line {
  /** Whether any stream ever stood since this was last set to false. */
  stood = false;

  #open;
  #handlers;
  #local;
  #onChange;
  #onLost;
  #granted = false;
  #stream = null;
  #connectedAt = null;
  #failures = 0;
  /** The local instant from which another stream may be tried, and before which the server asked not to. */
  #nextAt = 0;
  #floor = 0;

  constructor({ open = (grant, told) => new Stream(grant, told), handlers, local, onChange, onLost }) {
    this.#open = open;
    this.#handlers = handlers;
    this.#local = local;
    this.#onChange = onChange;
    this.#onLost = onLost;
  }

  /** The stream, while calls can be made over it. */
  get stream() {
    return this.#stream?.connected ? this.#stream : null;
  }

  /** Opens a stream in the place of the one there was; without a ticket there is none. */
  use(grant) {
    this.release();
    this.#granted = Boolean(grant?.ticket);
    if (!this.#granted) return;
    const current = () => this.#stream === stream;
    const stream = this.#open(grant, {
      handlers: this.#handlers,
      onConnected: () => current() && this.#connected(stream),
      onEnded: (end) => current() && this.#lost(end),
    });
    this.#stream = stream;
  }

  /** Closes the stream without a word to the owner but `onChange`. */
  release() {
    const stream = this.#stream;
    this.#stream = null;
    this.#gone();
    stream?.close();
  }

  /** Milliseconds until another stream may be tried; null where none is wanted, or one is there or on its way. */
  waitMs() {
    return this.#granted && !this.#stream ? Math.max(0, this.#nextAt - this.#local()) : null;
  }

  /** A hint that the network is there: no more waiting, but for what the server asked. */
  hurry() {
    this.#nextAt = this.#floor;
  }

  /** Asks for a sign of life. */
  check() {
    this.#stream?.check();
  }

  #connected(stream) {
    this.stood = true;
    this.#connectedAt = this.#local();
    this.#onChange(stream);
  }

  #lost(end) {
    this.#stream = null;
    const now = this.#local();
    if (this.#connectedAt !== null && now - this.#connectedAt > STEADY_MS) this.#failures = 0;
    const wait = backoff(this.#failures++, Math.random(), end.delayMs);
    this.#nextAt = now + wait;
    this.#floor = end.delayMs ? this.#nextAt : 0;
    this.#gone();
    this.#onLost(end, wait);
  }

  #gone() {
    const stood = this.#connectedAt !== null;
    this.#connectedAt = null;
    if (stood) this.#onChange(null);
  }
}
