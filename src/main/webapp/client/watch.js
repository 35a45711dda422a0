import { backoff } from './backoff.js';
import { listen } from './feed.js';
import { isTransient, Problem, Unreachable } from './problem.js';
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
 * Events come over the session's own stream while there is one (`follow`), else over a connection for this alone.
 *
 * `status` is what is true of the connection: `connecting`, `live`, `reconnecting` and `unavailable` (with
 * `retryAt`, a local instant of `api.clock`, and `detail`), `refused` (with `detail`), `paused`, `closed`.
 */
export class Watch {
  room = null;
  roster = null;
  timeline = [];
  status = { kind: 'connecting' };
  /** The local instant of the server's last sign, whatever it was. */
  heardAt = -Infinity;

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
  #stream = null;
  #source = null;

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

  /** Takes the events from this stream from now on; null for a connection of its own again. */
  follow(stream) {
    this.#stream = stream;
    this.#source?.abort();
    this.hurry();
  }

  /** Takes in a `dEvents` of the stream and tells how far the room is known now. */
  take({ room, events = [], snapshot }) {
    this.#alive();
    // Before the room is loaded, nothing can be taken in: the subscription that follows brings it again.
    if (room !== this.#id || !this.roster) return { seq: this.#lastId };
    if (snapshot) {
      this.#snapshot(snapshot);
      this.#lastId = Math.max(this.#lastId, snapshot.seq ?? 0);
    }
    for (const event of events) {
      this.#take(event);
      this.#lastId = Math.max(this.#lastId, event.seq);
    }
    this.#onChange();
    if (this.roster.roomState === 'closed') this.#finish({ kind: 'closed' });
    return { seq: this.#lastId };
  }

  /** Takes in the reply to a renewal or a join of the own session. */
  renewed(reply) {
    this.#own = reply.session;
    this.#alive();
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
        const onOpen = () => {
          opened = this.#api.clock.local();
          this.#alive();
          this.#become({ kind: 'live' });
        };
        await this.#receive(signal, onOpen);
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

  /** Receives events until the source fails, which throws, or is changed. */
  async #receive(signal, onOpen) {
    const source = new AbortController();
    this.#source = source;
    const end = () => source.abort();
    signal.addEventListener('abort', end, { once: true });
    try {
      if (this.#stream) return await this.#subscribe(this.#stream, source.signal, onOpen);
      const onMessage = (message) => source.signal.aborted || this.#hear(message);
      const onSign = () => this.#alive();
      await listen(this.#api, this.#id, this.#lastId, { signal: source.signal, onOpen, onSign, onMessage });
    } catch (error) {
      // Changed over, not failed.
      if (!source.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  async #subscribe(stream, signal, onOpen) {
    const request = { room: this.#id, after: this.#lastId };
    const { snapshot } = await stream.call('uSubscribe', request, { timeoutMs: 10_000 }).catch((error) => {
      // A stream that cannot do this is good for the rest all the same.
      const unable = error instanceof Problem && error.status >= 500 && !isTransient(error);
      if (unable && this.#stream === stream) this.#stream = null;
      throw unable ? new Unreachable(error.message, error) : error;
    });
    if (signal.aborted) return;
    if (snapshot) this.#snapshot(snapshot);
    onOpen();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }

  /** The wire leaves out what is empty. */
  #snapshot(roster) {
    const full = { ...roster, seq: roster.seq ?? 0, entries: roster.entries ?? [] };
    this.roster = adopt(this.roster, full);
    this.#onChange();
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
    this.#alive();
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
        this.#alive();
        this.#etag = read.etag;
        if (!read.roster) continue;
        this.roster = adopt(this.roster, read.roster);
        this.#onChange();
      } catch {
        // The event stream's own failure is what the status tells; a missed reading is made good by the next.
      }
    }
  }

  #alive() {
    this.heardAt = this.#api.clock.local();
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
