import { backoff } from './backoff.js';
import { listen } from './feed.js';
import { isTransient, Problem } from './problem.js';
import { pause } from './retry.js';
import { adopt, apply, emptyRoster, leasesDue, renewed } from './roster.js';
import { addEvents } from './timeline.js';

const POLL_MS = 2000;
const POLL_TIMEOUT_MS = 4000;
const HISTORY = 60;
const STEADY_MS = 5000;

/**
 * A room as it is watched: its roster and latest events, live. `onChange()` after anything changed,
 * `onEvent(event)` for each event that arrives live, which may be more than once.
 *
 * `status` is what is true of the connection: `connecting`, `live`, `reconnecting` and `unavailable` (with
 * `retryAt`, a local instant of `api.clock`, and `detail`), `refused` (with `detail`), `paused`, `closed`.
 */
export class Watch {
  room = null;
  roster = null;
  timeline = [];
  status = { kind: 'connecting' };

  /** The session whose lease is known from its own renewals. */
  #own = null;
  #api;
  #id;
  #onChange;
  #onEvent;
  #lastId = 0;
  #etag = null;
  #behind = false;
  #running = null;
  #waiting = null;

  constructor(api, id, { onChange = () => {}, onEvent = () => {} } = {}) {
    this.#api = api;
    this.#id = id;
    this.#onChange = onChange;
    this.#onEvent = onEvent;
  }

  /** Starts, or goes on after a pause from the last event seen. */
  start() {
    if (this.#running) return;
    this.#running = new AbortController();
    this.#stay(this.#running.signal);
    this.#poll(this.#running.signal);
  }

  /** Lets go of the connection, as for a page that nobody looks at. */
  pause() {
    if (!this.#running) return;
    this.#running.abort();
    this.#running = null;
    if (this.status.kind !== 'refused' && this.status.kind !== 'closed') this.#become({ kind: 'paused' });
  }

  /** Tries again now instead of waiting for the back-off to pass. */
  hurry() {
    this.#waiting?.abort();
  }

  /** Takes in the reply to a renewal or a join of the own session. */
  renewed(reply) {
    this.#own = reply.session;
    if (this.roster) this.roster = renewed(this.roster, reply);
    this.#onChange();
  }

  async #stay(signal) {
    let failures = 0;
    while (!signal.aborted) {
      let opened = Infinity;
      try {
        if (!this.room || this.#behind) await this.#load(signal);
        if (this.roster.roomState === 'closed') return this.#finish({ kind: 'closed' });
        await listen(this.#api, this.#id, this.#lastId, {
          signal,
          onOpen: () => {
            opened = this.#api.clock.local();
            this.#become({ kind: 'live' });
          },
          onMessage: (message) => signal.aborted || this.#hear(message),
        });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Problem && !isTransient(error)) {
          return this.#finish({ kind: 'refused', detail: error.message, code: error.code });
        }
        // A connection that was accepted is a good sign, but one that broke at once is no reason to hurry.
        const stood = this.#api.clock.local() - opened;
        if (stood > 0) failures = stood > STEADY_MS ? 0 : Math.min(failures, 2);
        await this.#wait(error, failures++, signal);
      }
    }
  }

  async #wait(error, failures, signal) {
    const ms = backoff(failures, Math.random(), error.retryAfterMs);
    this.#become({
      kind: error instanceof Problem ? 'unavailable' : 'reconnecting',
      retryAt: this.#api.clock.local() + ms,
      detail: error.message,
    });
    this.#waiting = new AbortController();
    const hurry = () => this.#waiting?.abort();
    signal.addEventListener('abort', hurry, { once: true });
    await pause(ms, this.#waiting.signal);
    signal.removeEventListener('abort', hurry);
    this.#waiting = null;
  }

  /** Reads the room, its roster and its latest events: at the start, and when an event is missing. */
  async #load(signal) {
    const room = await this.#api.room(this.#id, { signal });
    const { roster, etag } = await this.#api.roster(this.#id, null, { signal });
    const { items } = await this.#api.events(this.#id, Math.max(0, roster.seq - HISTORY), { signal });
    const known = this.roster ?? emptyRoster(room);
    this.room = room;
    this.roster = adopt({ ...known, roomState: room.state, policy: room.policy }, roster);
    this.timeline = addEvents(this.timeline, items, HISTORY);
    this.#etag = etag;
    this.#lastId = Math.max(this.#lastId, roster.seq);
    this.#behind = false;
    this.#onChange();
  }

  #hear({ event, data, id }) {
    const content = JSON.parse(data);
    if (event === 'snapshot') {
      this.roster = adopt(this.roster, content);
      this.#lastId = content.seq;
    } else {
      this.#take(content);
      this.#lastId = id === null ? this.#lastId : Number(id);
    }
    this.#onChange();
    if (this.roster.roomState === 'closed') this.#finish({ kind: 'closed' });
  }

  #take(event) {
    const { state, outcome } = apply(this.roster, event);
    this.roster = state;
    // The stream goes on meanwhile: what it brings is either in the roster that is read, or comes after it.
    if (outcome === 'gap') this.#repair();
    this.timeline = addEvents(this.timeline, [event], HISTORY);
    if (event.type.startsWith('room.')) this.room = { ...this.room, state: this.roster.roomState };
    this.#onEvent(event);
  }

  async #repair() {
    if (this.#behind) return;
    this.#behind = true;
    try {
      await this.#load(this.#running.signal);
    } catch {
      // The next connection loads before it listens, and the poll repairs the roster before that.
    }
  }

  async #poll(signal) {
    for (; !signal.aborted; await pause(POLL_MS, signal)) {
      if (!this.roster || this.roster.roomState === 'closed') continue;
      const due = leasesDue(this.roster, this.#api.clock.now(), this.#own);
      try {
        const options = { signal, timeoutMs: POLL_TIMEOUT_MS };
        const read = await this.#api.roster(this.#id, due ? null : this.#etag, options);
        this.#etag = read.etag;
        if (!read.roster) continue;
        this.roster = adopt(this.roster, read.roster);
        this.#onChange();
      } catch {
        // The event stream's own failure is what the status tells; a missed reading is made good by the next.
      }
    }
  }

  #finish(status) {
    this.#become(status);
    this.pause();
  }

  #become(status) {
    this.status = status;
    this.#onChange();
  }
}
