import { Peer } from './peer.js';
import { bestState, qualityOf, readStats, since } from './quality.js';

/** Who takes part in the audio; who is suspended has a device that sleeps. */
const AUDIBLE = new Set(['present', 'suspect']);
const TICK_MS = 1000;
const SIGNALS_KEPT = 128;
const AHEAD_MS = 5000;

/**
 * Audio in a full mesh: one connection with each other session that is present or suspect, made anew whenever its
 * generation or one's own changes. It goes on while the stream is down, since audio does not pass through the server.
 *
 * A signal's payload is a JSON text: `from` and `to`, the ids of the two connections, `generation` of whom it is for,
 * and `description` or `candidate` as WebRTC gives them.
 *
 * `send({ toSession, kind, payload })` resolves to whether it was delivered. `connect(configuration)` makes an
 * RTCPeerConnection. `onTrack(session, track)` brings somebody's audio, and null when it is over; `onChange()` after
 * anything else changed.
 */
export class Mesh {
  #send;
  #connect;
  #onTrack;
  #onChange;
  #newId;
  #now;
  #own = null;
  #iceServers = [];
  #track = null;
  #peers = new Map();
  /** Signals of generations that no roster has told of yet. */
  #early = [];
  #last = { flowing: false };
  #timer = null;

  constructor({ send, connect = (configuration) => new RTCPeerConnection(configuration), ...options }) {
    const { onTrack = () => {}, onChange = () => {}, newId = randomId, now = () => performance.now() } = options;
    this.#send = send;
    this.#connect = connect;
    this.#onTrack = onTrack;
    this.#onChange = onChange;
    this.#newId = newId;
    this.#now = now;
  }

  /** The peers by session, to look at. */
  get peers() {
    return this.#peers;
  }

  /** Brings the connections in line with who one is oneself and who is in the room. `entries` as in a roster. */
  update({ session, generation, iceServers = [] }, entries) {
    const changed = this.#own?.session !== session || this.#own.generation !== generation;
    if (changed) {
      this.#end({ bye: false });
      this.#own = { session, generation };
    }
    this.#iceServers = iceServers;
    this.#timer ??= setInterval(() => this.tick(), TICK_MS);
    const there = new Map();
    for (const entry of entries) {
      if (entry.session !== session && AUDIBLE.has(entry.state)) there.set(entry.session, entry);
    }
    for (const [key, peer] of this.#peers) {
      const entry = there.get(key);
      // An offer may be ahead of the roster: for a moment one need not be on it, and an older generation proves nothing.
      if (!entry && this.#now() >= peer.aheadUntil) this.#remove(key);
      else if (!entry) continue;
      else if (entry.generation > peer.generation) this.#remove(key, { bye: false });
    }
    for (const entry of there.values()) {
      if (!this.#peers.has(entry.session)) this.#add(entry.session, entry.generation);
    }
    this.#takeEarly();
  }

  /** Ends all audio, as on leaving or suspending; the others are told. */
  stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#end({ bye: true });
    this.#own = null;
  }

  /** What to send to all, or null to listen only. Muting is the track's own business. */
  setTrack(track) {
    this.#track = track;
    this.#peers.forEach((peer) => peer.setTrack(track));
  }

  /** Takes a `dSignal` of the server. */
  receive({ fromSession, generation, kind, payload }) {
    if (!this.#own) return;
    let content;
    try {
      content = JSON.parse(payload);
    } catch {
      return;
    }
    // Meant for an earlier life of this session.
    if (content?.generation !== undefined && content.generation !== this.#own.generation) return;
    if (typeof content?.from !== 'string') return;
    this.#dispatch({ fromSession, generation, kind, content });
  }

  /** Called once a second while there is audio. */
  tick() {
    this.#peers.forEach((peer) => peer.tick());
  }

  /** Reads the statistics of all connections and resolves to the report on one's audio, as `uMediaState` takes it. */
  async measure() {
    const peers = [...this.#peers.values()];
    const measured = await Promise.all(peers.map((peer) => this.#read(peer)));
    this.#last = { flowing: measured.some((each) => each?.flowing) };
    this.#onChange();
    return this.report();
  }

  /** The report on one's audio as of the last reading of the statistics and the connections' present states. */
  report() {
    const peers = [...this.#peers.values()];
    const read = peers.map((peer) => peer.stats).filter(Boolean);
    const trips = read.map(({ rttMs }) => rttMs).filter((rttMs) => rttMs !== null);
    return {
      state: bestState(peers.map((peer) => peer.state)),
      flowing: this.#last.flowing,
      ...(trips.length && { rttMs: Math.max(...trips) }),
      ...(read.length && { packetsLost: read.reduce((sum, { packetsLost }) => sum + packetsLost, 0) }),
    };
  }

  async #read(peer) {
    const stats = readStats(await peer.statistics().catch(() => new Map()));
    const passed = since(peer.stats, stats);
    peer.stats = stats;
    peer.quality = peer.state === 'connected' ? qualityOf(passed, stats) : null;
    return passed;
  }

  #dispatch(signal) {
    const { fromSession, generation, kind, content } = signal;
    const peer = this.#peers.get(fromSession);
    if (peer && generation < peer.generation) return;
    if (peer?.generation === generation) {
      peer.receive(kind, content);
    } else if (kind === 'offer') {
      // Ahead of the roster: whoever makes offers is there.
      this.#remove(fromSession, { bye: false });
      const ahead = this.#add(fromSession, generation, { begin: false });
      ahead.aheadUntil = this.#now() + AHEAD_MS;
      ahead.receive(kind, content);
      this.#takeEarly();
    } else if (kind === 'candidate') {
      this.#early.push(signal);
      if (this.#early.length > SIGNALS_KEPT) this.#early.shift();
    }
  }

  #takeEarly() {
    const early = this.#early;
    this.#early = [];
    early.forEach((signal) => this.#dispatch(signal));
  }

  #add(session, generation, { begin = true } = {}) {
    const peer = new Peer({
      session,
      generation,
      polite: this.#own.session < session,
      track: this.#track,
      now: this.#now,
      newId: this.#newId,
      connect: () => this.#connect({ iceServers: this.#iceServers, bundlePolicy: 'max-bundle' }),
      send: (kind, content) => this.#signal(session, generation, kind, content),
      onTrack: (track) => this.#onTrack(session, track),
      onState: () => this.#onChange(),
    });
    this.#peers.set(session, peer);
    if (begin) peer.tick();
    this.#onChange();
    return peer;
  }

  #remove(session, how) {
    const peer = this.#peers.get(session);
    if (!peer) return;
    this.#peers.delete(session);
    peer.close(how);
    this.#onTrack(session, null);
    this.#onChange();
  }

  #end(how) {
    [...this.#peers.keys()].forEach((session) => this.#remove(session, how));
    this.#early = [];
    this.#last = { flowing: false };
  }

  async #signal(toSession, generation, kind, content) {
    const payload = JSON.stringify({ ...content, generation });
    return this.#send({ toSession, kind, payload }).catch(() => false);
  }
}

function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
