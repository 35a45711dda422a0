import { backoff } from './backoff.js';
import { isTransient, Problem } from './problem.js';
import { newKey, pause, retrying } from './retry.js';

/** Refusals after which this generation is over, and why. `lease-expired` is not among them: it is joined again. */
const ENDINGS = {
  'stale-generation': 'elsewhere',
  'session-ended': 'ended',
  'room-closing': 'room-closed',
  'room-closed': 'room-closed',
};

/** What ends a session from outside, by the event's reason where it matters. */
const DEPARTURES = {
  'participant.left': () => 'left-elsewhere',
  'participant.expired': () => 'expired',
  'participant.removed': ({ reason }) => (reason === 'room-closed' ? 'room-closed' : 'operator'),
};

/**
 * Being in a room: joins, keeps the lease while it can, and says honestly when it is over.
 *
 * `state` is `out`, `joining`, `in`, `suspended`, `dropped` (silent on purpose, to see what a lost network
 * does) or `ended`, then with `ending` and the `refusal` that told. `trouble` is the failure being retried,
 * with `retryAt`. `membership` is the latest, its `leaseUntil` kept up to date.
 */
export class Session {
  state = 'out';
  membership = null;
  ending = null;
  refusal = null;
  trouble = null;

  #api;
  #room;
  #participant;
  #onChange;
  #onLease;
  #counter = 0;
  #heard = 0;
  #life = new AbortController();

  constructor(api, room, participant, { onChange = () => {}, onLease = () => {} } = {}) {
    this.#api = api;
    this.#room = room;
    this.#participant = participant;
    this.#onChange = onChange;
    this.#onLease = onLease;
  }

  /** Joins, or joins again: the next generation. Retries with the same key until it is told or ended. */
  async join() {
    const life = this.#become('joining');
    const key = newKey();
    try {
      const membership = await this.#trying(() => this.#api.join(this.#room, key), Infinity, life);
      if (life.aborted) return this.#unwanted(membership);
      this.membership = membership;
      this.#counter = 0;
      this.#onLease(membership);
      // Another device may have taken over between the join and its reply.
      if (this.#heard > membership.generation) return this.#end('elsewhere');
      this.#keep(this.#become('in'));
    } catch (error) {
      this.#refused(error, life);
    }
  }

  /** Proves to be here again, after a suspension or a silence. */
  resume() {
    if (this.state !== 'suspended' && this.state !== 'dropped') return;
    this.#keep(this.#become('in'), 0);
  }

  /** Asks for the longer lease of somebody who cannot renew for a while. `keepalive` outlives the page. */
  async suspend({ keepalive = false } = {}) {
    if (this.state !== 'in') return;
    const life = this.#become('suspended');
    // One counter for all tries, so that a late one cannot undo a resume that came after it.
    const order = this.#order();
    const { session } = this.membership;
    try {
      this.#lease(await this.#trying(() => this.#api.suspend(this.#room, session, order, { keepalive }), 4, life), life);
    } catch (error) {
      // Not suspended after all. Renewing is what tells the rest.
      if (!life.aborted && isTransient(error)) this.resume();
      else this.#refused(error, life);
    }
  }

  /** Stops renewing without a word. */
  drop() {
    if (this.state === 'in' || this.state === 'suspended') this.#become('dropped');
  }

  async leave({ keepalive = false } = {}) {
    const { state, membership } = this;
    if (state === 'out' || state === 'ended') return;
    this.#end('left');
    if (!membership) return;
    const { session, generation } = membership;
    const leaving = () => this.#api.leave(this.#room, session, generation, { keepalive });
    // Refused means that this generation had ended already, which is what was wanted.
    await retrying(leaving).catch(() => {});
  }

  /** Tries again now, as when the network is back. */
  hurry() {
    if (this.state === 'in') this.#keep(this.#become('in'), 0);
  }

  /** Takes in a live event of the room: it may tell the end before the next renewal would. */
  heard(event) {
    if (event.participant !== this.#participant || event.shadow) return;
    this.#heard = Math.max(this.#heard, event.generation);
    if (!this.membership || this.state === 'joining') return;
    // An ending that is known stays; only the one without a reason is made precise.
    if (this.state === 'ended' && this.ending !== 'ended') return;
    if (event.generation > this.membership.generation) return this.#end('elsewhere');
    const departure = DEPARTURES[event.type];
    if (!departure || event.generation < this.membership.generation) return;
    // An expiry while renewing is left to the next renewal, which joins again.
    if (event.type === 'participant.expired' && this.state === 'in') return;
    this.#end(departure(event), this.refusal);
  }

  async #keep(life, firstMs = this.#heartbeatMs()) {
    let failures = 0;
    await pause(firstMs, life);
    while (!life.aborted) {
      const started = this.#api.clock.local();
      let wait = this.#heartbeatMs();
      try {
        const timeoutMs = Math.max(2000, (this.membership.leaseSeconds * 1000) / 3);
        const { session } = this.membership;
        const reply = await this.#api.renew(this.#room, session, this.#order(), { timeoutMs, signal: life });
        if (life.aborted) return;
        failures = 0;
        this.#lease(reply, life);
      } catch (error) {
        if (life.aborted) return;
        if (!this.#lasting(error)) return this.#refused(error, life);
        wait = Math.max(error.retryAfterMs ?? 0, Math.min(wait, backoff(failures++, Math.random())));
        this.#troubled(error, wait);
        await pause(wait, life);
        continue;
      }
      await pause(Math.max(0, wait - (this.#api.clock.local() - started)), life);
    }
  }

  /** A fault of the server's own is no verdict on the membership: only a refusal ends it. */
  #lasting(error) {
    return isTransient(error) || (error instanceof Problem && error.status >= 500);
  }

  async #refused(error, life) {
    if (life.aborted) return;
    if (error instanceof Problem && error.code === 'lease-expired') {
      if (this.state === 'in') return this.join();
      return this.#end('expired', error);
    }
    this.#end(ENDINGS[error.code] ?? 'refused', error);
  }

  #trying(attempt, tries, life) {
    return retrying(attempt, { tries, signal: life, onWait: (error, ms) => this.#troubled(error, ms) });
  }

  /** A reply that came after the user had gone: what it granted is given back. */
  #unwanted({ session, generation }) {
    if (this.ending === 'left') this.#api.leave(this.#room, session, generation).catch(() => {});
  }

  #lease({ state, leaseUntil, serverTime }, life) {
    if (life.aborted) return;
    this.membership = { ...this.membership, state, leaseUntil };
    this.trouble = null;
    const { session, generation } = this.membership;
    this.#onLease({ session, generation, state, leaseUntil, serverTime });
    this.#onChange();
  }

  #order() {
    return { generation: this.membership.generation, counter: ++this.#counter };
  }

  #heartbeatMs() {
    return this.membership.heartbeatSeconds * 1000;
  }

  #troubled(error, ms) {
    this.trouble = { detail: error.message, retryAt: this.#api.clock.local() + ms, refused: error instanceof Problem };
    this.#onChange();
  }

  #end(ending, refusal = null) {
    this.#become('ended', ending, refusal);
  }

  /** Each state has a life of its own: replies and timers of an earlier one find it ended. */
  #become(state, ending = null, refusal = null) {
    this.#life.abort();
    this.#life = new AbortController();
    Object.assign(this, { state, ending, refusal, trouble: null });
    this.#onChange();
    return this.#life.signal;
  }
}
