import { backoff } from './backoff.js';
import { Line } from './line.js';
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

/** The reasons of a stream's close with "session ended". */
const CLOSED_BY = { left: 'left-elsewhere', expired: 'expired', 'room-closed': 'room-closed', operator: 'operator' };

/** A timer that is later than this was held back. */
const LATE_MS = 1500;

/** A renewal that is later than a heartbeat by this is overdue. */
const OVERDUE_MS = 3000;

/** For so long it is said that a session came back by itself. */
const RETURNED_MS = 120_000;

/**
 * Being in a room: joins, keeps the lease while it can, and says honestly when it is over.
 *
 * `state` is `out`, `joining`, `in`, `suspended`, `dropped` (silent on purpose, to see what a lost network
 * does) or `ended`, then with `ending` and the `refusal` that told. `trouble` is the failure being retried,
 * with `retryAt`. `membership` is the latest, its `leaseUntil`, and `serverTime` of the last renewal, kept up to date. `returned` is true for two minutes if
 * the lease ran out and the session came back by itself: the others saw it leave.
 *
 * With the membership comes a stream. While it is up the lease is renewed over it, by REST otherwise. A stream that
 * broke is replaced by joining again, the next generation, since only REST tells why an upgrade would be refused; but a
 * renewal goes first, so that a session that was taken over or removed meanwhile is not taken back.
 */
export class Session {
  state = 'out';
  membership = null;
  ending = null;
  refusal = null;
  trouble = null;
  returned = false;

  #api;
  #room;
  #participant;
  #onChange;
  #onLease;
  #visible;
  #counter = 0;
  /** The generation that the counter belongs to. */
  #counted = 0;
  #heard = 0;
  #life = new AbortController();

  /** The key of the generation that was asked for last, when, and whether the answer is still unknown. */
  #key = null;
  #askedAt = 0;
  #unsure = false;

  #line;
  #renewedAt = 0;
  #triedAt = 0;
  #returnedAt = 0;

  constructor(api, room, participant, options = {}) {
    const { onChange = () => {}, onLease = () => {}, onStream = () => {}, handlers = {} } = options;
    const { open, visible = () => !globalThis.document?.hidden } = options;
    this.#api = api;
    this.#room = room;
    this.#participant = participant;
    this.#onChange = onChange;
    this.#onLease = onLease;
    this.#visible = visible;
    this.#line = new Line({
      open,
      handlers,
      local: () => api.clock.local(),
      onChange: (stream) => {
        onStream(stream);
        this.#onChange();
      },
      onLost: (end, waitMs) => this.#lost(end, waitMs),
    });
  }

  /** `none` where the server gave no stream, else `up` or `down`. */
  get line() {
    if (!this.membership?.stream || this.state === 'ended') return 'none';
    return this.stream ? 'up' : 'down';
  }

  /** Whether the own lease, as far as it is known here, has run out at this instant of the server's clock. */
  lapsed(now) {
    return this.#member() && Date.parse(this.membership.leaseUntil) <= now;
  }

  /** Whether the lease should have been renewed by this instant of the server's clock, and was not. */
  overdue(now) {
    const due = () => Date.parse(this.membership.serverTime) + this.#heartbeatMs() + OVERDUE_MS;
    return this.state === 'in' && this.#member() && due() <= now;
  }

  /** The stream, while calls can be made over it. */
  get stream() {
    return this.#line.stream;
  }

  /** Joins, or joins again: the next generation. Retries with the same key until it is told or ended. */
  async join() {
    this.returned = false;
    await this.#join();
  }

  async #join() {
    const life = this.#become('joining');
    this.#line.release();
    this.#freshKey();
    try {
      const membership = await this.#trying(() => this.#ask(), Infinity, life);
      if (life.aborted) return this.#unwanted(membership);
      this.#take(membership);
      const stay = this.#become('in');
      this.#admit(membership);
      if (!stay.aborted) this.#keep(stay);
    } catch (error) {
      this.#refused(error, life);
    }
  }

  /** Proves to be here again, after a suspension or a silence. */
  resume() {
    if (this.state !== 'suspended' && this.state !== 'dropped') return;
    this.#line.hurry();
    this.#keep(this.#become('in'), 0);
  }

  /** Asks for the longer lease of somebody who cannot renew for a while. `keepalive` outlives the page. */
  async suspend({ keepalive = false } = {}) {
    if (this.state !== 'in') return;
    const life = this.#become('suspended');
    // Which generation to suspend is not known; resuming finds out.
    if (this.#unsure) return;
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

  /** Goes silent without a word: no renewal, no stream. */
  drop() {
    if (this.state !== 'in' && this.state !== 'suspended') return;
    this.#become('dropped');
    this.#line.release();
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

  /** Tries again now, as when the network is back or the device was asleep. */
  hurry() {
    this.check();
    this.#line.hurry();
    if (this.state === 'in') this.#keep(this.#become('in'), 0);
  }

  /** Renews if that is overdue, since the page's own timers were held back. Called about once a second by others. */
  beat() {
    if (this.state !== 'in') return;
    const idle = this.#api.clock.local() - Math.max(this.#triedAt, this.#renewedAt);
    if (idle > this.#heartbeatMs() + LATE_MS) this.#keep(this.#become('in'), 0);
  }

  /** Asks the stream for a sign of life, as when the network may be gone. */
  check() {
    this.#line.check();
  }

  /** Tells how the audio is doing. Telemetry: a report that is lost is made good by the next. */
  async media(report) {
    if (this.state !== 'in' || this.#unsure) return;
    const { session, generation } = this.membership;
    const { stream } = this;
    const telling = stream
      ? stream.call('uMediaState', { session, generation, ...report }, { timeoutMs: 5000 })
      : this.#api.media(this.#room, session, { generation, ...report });
    await telling.catch(() => {});
  }

  /** Takes in a live event of the room: it may tell the end before the next renewal would. */
  heard(event) {
    if (event.participant !== this.#participant || event.shadow) return;
    this.#heard = Math.max(this.#heard, event.generation);
    // While a join is unanswered, a newer generation may be the one that was asked for.
    if (!this.membership || this.state === 'joining' || this.#unsure) return;
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
      this.#triedAt = started;
      let wait = this.#heartbeatMs();
      try {
        // A join whose outcome is unknown comes first: the generation known here may be fenced by it.
        if (!this.#unsure) this.#lease(await this.#renew(life), life);
        if (life.aborted) return;
        if (this.#unsure || this.#line.waitMs() === 0) await this.#again(life);
        if (life.aborted) return;
        failures = 0;
        wait = Math.min(wait, this.#line.waitMs() ?? wait);
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

  async #renew(life) {
    const order = this.#order();
    const { session, leaseSeconds } = this.membership;
    const timeoutMs = Math.max(2000, (leaseSeconds * 1000) / 3);
    const { stream } = this;
    if (stream) {
      const sent = this.#api.clock.local();
      try {
        const reply = await stream.call('uRenew', { session, ...order }, { timeoutMs: timeoutMs / 2 });
        this.#api.clock.sample(reply.serverTime, sent, this.#api.clock.local());
        return reply;
      } catch (error) {
        if (life.aborted || !this.#lasting(error)) throw error;
        // The lease does not wait for a stream that is late or has no capacity: REST may get through.
        stream.check();
      }
    }
    return this.#api.renew(this.#room, session, order, { timeoutMs, signal: life });
  }

  /** Joins again for another stream, while the session counts as present all along. */
  async #again(life) {
    // A ticket that never became a stream is replaced within its generation; after one that stood comes the next.
    if (!this.#unsure && this.#line.stood) this.#freshKey();
    const membership = await this.#ask();
    if (!life.aborted) this.#admit(membership);
    else if (this.state === 'ended') this.#unwanted(membership);
    else this.#take(membership);
  }

  #freshKey() {
    this.#key = newKey();
    this.#line.stood = false;
    this.#askedAt = this.#api.clock.local();
  }

  async #ask() {
    const repeated = this.#unsure;
    this.#unsure = true;
    try {
      const membership = await this.#api.join(this.#room, this.#key);
      this.#unsure = false;
      return membership;
    } catch (error) {
      if (this.#lasting(error)) throw error;
      this.#unsure = false;
      if (!repeated || !this.#ranOutUntold(error)) throw error;
      if (this.state === 'in') this.#return();
      this.#freshKey();
      return this.#ask();
    }
  }

  /** A generation that was granted, never told to us, and not renewed for the length of a lease, has run out. */
  #ranOutUntold(error) {
    const leaseMs = (this.membership?.leaseSeconds ?? 15) * 1000;
    const ranOut = error.code === 'session-ended' && this.#api.clock.local() - this.#askedAt >= leaseMs;
    return ranOut && (this.state === 'joining' || this.#visible());
  }

  #take(membership) {
    if (membership.generation !== this.#counted) this.#counter = 0;
    this.#counted = membership.generation;
    this.membership = membership;
  }

  #admit(membership) {
    this.#take(membership);
    this.#renewedAt = this.#api.clock.local();
    this.trouble = null;
    this.#onLease(membership);
    // Another device may have taken over between the join and its reply.
    if (this.#heard > membership.generation) return this.#end('elsewhere');
    this.#line.use(membership.stream);
    this.#onChange();
  }

  #lost(end, waitMs) {
    if (end.cause === 'elsewhere' || end.cause === 'disconnected') return this.#end(end.cause);
    if (end.cause === 'ended') return this.#closedBy(CLOSED_BY[end.reason] ?? 'ended');
    // The lease does not wait for the stream.
    const renewal = this.#renewedAt + this.#heartbeatMs() - this.#api.clock.local();
    if (this.state === 'in') this.#keep(this.#become('in'), Math.max(0, Math.min(waitMs, renewal)));
    else this.#onChange();
  }

  #closedBy(ending) {
    if (ending === 'expired' && this.state === 'in') return this.#comeBack(null);
    this.#end(ending);
  }

  /** Out for longer than the lease: whoever looks at the page comes back by itself, and is told so. */
  #comeBack(error) {
    if (!this.#visible()) return this.#end('expired', error);
    this.#return();
    return this.#join();
  }

  #return() {
    this.returned = true;
    this.#returnedAt = this.#api.clock.local();
  }

  /** A fault of the server's own is no verdict on the membership: only a refusal ends it. */
  #lasting(error) {
    return isTransient(error) || (error instanceof Problem && error.status >= 500);
  }

  async #refused(error, life) {
    if (life.aborted) return;
    if (error instanceof Problem && error.code === 'lease-expired') {
      if (this.state === 'in') return this.#comeBack(error);
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
    this.membership = { ...this.membership, state, leaseUntil, serverTime };
    this.#renewedAt = this.#api.clock.local();
    // By then whoever looks has read it.
    if (this.#renewedAt - this.#returnedAt > RETURNED_MS) this.returned = false;
    this.trouble = null;
    const { session, generation } = this.membership;
    this.#onLease({ session, generation, state, leaseUntil, serverTime });
    this.#onChange();
  }

  #member() {
    return this.membership !== null && this.state !== 'ended' && this.state !== 'out';
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
    this.#line.release();
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
