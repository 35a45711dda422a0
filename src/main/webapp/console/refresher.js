const LEAST_MS = 1000;

/**
 * Reads something again: at once when asked to, soon when something has happened, and every so often in any case. Never
 * twice at the same time, never more often than once a second for events, and not while nobody sees the page.
 */
export class Refresher {
  #read;
  #everyMs;
  #timer = null;
  #running = null;
  #again = false;
  #stopped = false;
  #last = -Infinity;

  constructor(read, { everyMs }) {
    this.#read = read;
    this.#everyMs = everyMs;
  }

  /** Drops what is under way: its answer is to an older question. */
  now() {
    if (this.#stopped) return;
    this.#running?.abort();
    this.#running = null;
    this.#run();
  }

  soon() {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#wait(Math.max(0, this.#last + LEAST_MS - performance.now()));
  }

  stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  #wait(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (document.hidden ? this.#wait(LEAST_MS) : this.#run()), ms);
  }

  async #run() {
    clearTimeout(this.#timer);
    const run = new AbortController();
    this.#running = run;
    this.#again = false;
    this.#last = performance.now();
    await this.#read(run.signal);
    if (this.#running !== run) return;
    this.#running = null;
    if (!this.#stopped) this.#wait(this.#again ? LEAST_MS : this.#everyMs);
  }
}
