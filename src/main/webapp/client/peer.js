/**
 * One connection for audio with one other session, of one generation. Signals are made and taken one after the other,
 * so that none sees another half done.
 *
 * Perfect negotiation: of two offers that cross, the polite side's yields. Each side's connection has an id of its own
 * that goes with every signal; a signal for a connection that is no more is dropped, and an offer from a new connection
 * of the other side makes a new one here. What is lost on the way is sent again by `tick`.
 */

/** The polite side lets the other one begin, and begins itself only if nothing comes: fewer offers cross. */
const LET_BEGIN_MS = 1500;
const RESEND_MS = 2000;
const UNDELIVERED_MS = 500;
/** Shorter breaks heal by themselves, as on a change of the network's path. */
const DISCONNECTED_MS = 4000;
const REPAIR_MS = 8000;
const REPAIR_CAP_MS = 30_000;
const CONNECT_MS = 15_000;
const EARLY = 64;

export class Peer {
  /** An RTCPeerConnectionState: `closed` once the other side said bye. */
  state = 'new';
  /** What `Mesh.measure` last read; null before. */
  stats = null;
  quality = null;
  /** Until then it may be missing on the roster, since its offer came first. */
  aheadUntil = 0;

  #options;
  #polite;
  #pc = null;
  #id = null;
  #remoteId = null;
  #track = null;
  #sender = null;
  #early = [];
  #work = Promise.resolve();
  #beginAt;
  #sentAt = null;
  #repairAt = null;
  #repairs = 0;
  #brokenAt = null;
  #over = false;

  /**
   * `send(kind, payload)` resolves to whether it was delivered; `connect()` makes an RTCPeerConnection; `newId()` an id;
   * `now()` local milliseconds; `onTrack(track)` and `onState()` tell. `track` is what to send, or null to listen only.
   */
  constructor({ session, generation, polite, track = null, ...options }) {
    Object.assign(this, { session, generation });
    this.#options = options;
    this.#polite = polite;
    this.#track = track;
    this.#fresh();
    this.#beginAt = options.now() + (polite ? LET_BEGIN_MS : 0);
  }

  /** The receiver of the other side's audio, once there is one. */
  get receiver() {
    return this.#pc?.getReceivers?.()[0] ?? null;
  }

  /**
   * Whether the other side is known to send nothing: it did not agree to, or no packet ever came to a connection that
   * stands. A connection stands in both directions only, and a microphone that is muted sends silence.
   */
  get listensOnly() {
    const transceiver = this.#pc?.getTransceivers?.()[0];
    if (this.state !== 'connected' || !transceiver) return false;
    if (['sendonly', 'inactive'].includes(transceiver.currentDirection)) return true;
    return transceiver.receiver?.track?.muted === true && this.stats?.packetsReceived === 0;
  }

  /** The connection's statistics, an empty map where it is gone. */
  statistics() {
    return this.#pc ? this.#pc.getStats() : Promise.resolve(new Map());
  }

  /** Sends this track from now on, without negotiating anew; null for silence. */
  setTrack(track) {
    this.#track = track;
    this.#sender?.replaceTrack(track).catch(() => {});
  }

  /** Takes a signal of the other side. */
  receive(kind, payload) {
    return this.#then(() => this.#take(kind, payload));
  }

  /** Does what is due: begins, sends again, repairs. Called about once a second. */
  tick() {
    if (this.#over || !this.#pc) return;
    const now = this.#options.now();
    if (this.#beginAt !== null && now >= this.#beginAt) {
      this.#beginAt = null;
      this.#then(() => this.#offer());
    } else if (this.state === 'connected') {
      this.#repairs = 0;
      this.#repairAt = this.#brokenAt = null;
    } else if (this.#broken(now) && now >= (this.#repairAt ?? 0)) {
      this.#then(() => this.#repair(now));
    } else if (this.#sentAt !== null && now - this.#sentAt >= RESEND_MS) {
      this.#then(() => this.#resend());
    }
  }

  /** Ends the connection; the other side is told unless it is gone itself. */
  close({ bye = true } = {}) {
    if (this.#over) return;
    this.#over = true;
    if (bye && this.#id) this.#send('bye', {});
    this.#drop();
    this.state = 'closed';
  }

  #then(step) {
    this.#work = this.#work.then(() => (this.#over ? null : step())).catch((error) => {
      // A step that failed leaves the connection as it was, or broken: the next tick resends or repairs.
      this.lastFailure = error;
    });
    return this.#work;
  }

  /** Begins with a connection that knows nothing; with `id`, still under the same name to the other side. */
  #fresh(id = this.#options.newId()) {
    this.#drop();
    this.#id = id;
    const pc = this.#options.connect();
    this.#pc = pc;
    const current = () => this.#pc === pc;
    pc.onicecandidate = ({ candidate }) => {
      if (current() && candidate) this.#send('candidate', { candidate: candidate.toJSON?.() ?? candidate });
    };
    pc.ontrack = ({ track }) => current() && this.#options.onTrack(track);
    pc.onconnectionstatechange = () => current() && this.#become(pc.connectionState);
    this.#become('new');
    this.#brokenAt = this.#options.now();
  }

  #drop() {
    const pc = this.#pc;
    this.#pc = this.#sender = this.#sentAt = null;
    pc?.close();
  }

  #become(state) {
    this.state = state;
    if (state === 'connected') this.#brokenAt = null;
    else if (this.#brokenAt === null) this.#brokenAt = this.#options.now();
    this.#options.onState();
  }

  #broken(now) {
    if (this.state === 'failed') return true;
    const patience = this.state === 'disconnected' ? DISCONNECTED_MS : CONNECT_MS;
    return this.#brokenAt !== null && now - this.#brokenAt >= patience;
  }

  /** First new candidates for the same connection, then a new connection. */
  async #repair(now) {
    const wait = Math.min(REPAIR_CAP_MS, REPAIR_MS * 2 ** this.#repairs);
    this.#repairAt = now + wait;
    if (this.#repairs++ === 0 && this.#pc.remoteDescription) {
      // One side is enough; if its offer does not come through, the polite one takes its turn at the next repair.
      if (!this.#polite) {
        this.#pc.restartIce();
        await this.#offer();
      }
      return;
    }
    this.#fresh();
    await this.#offer();
  }

  async #offer() {
    const pc = this.#pc;
    if (pc.signalingState !== 'stable') return this.#resend();
    if (!this.#sender) {
      this.#sender = pc.addTransceiver(this.#track ?? 'audio', { direction: 'sendrecv' }).sender;
    }
    await pc.setLocalDescription();
    if (pc === this.#pc) await this.#resend();
  }

  async #resend() {
    const pc = this.#pc;
    if (pc.signalingState !== 'have-local-offer') {
      this.#sentAt = null;
      return;
    }
    this.#sentAt = this.#options.now();
    // Not awaited: the answer may be here before the receipt.
    this.#send('offer', { description: describe(pc.localDescription) }).then((delivered) => {
      if (!delivered && this.#pc === pc && this.#sentAt !== null) this.#sentAt -= RESEND_MS - UNDELIVERED_MS;
    });
  }

  async #take(kind, payload) {
    const { from, to } = payload;
    // For a connection that is no more.
    if (to && to !== this.#id) return;
    if (kind === 'offer') await this.#takeOffer(from, payload.description);
    else if (kind === 'answer') await this.#takeAnswer(from, payload.description);
    else if (kind === 'candidate') await this.#takeCandidate(from, payload.candidate);
    else if (kind === 'bye' && (!this.#remoteId || this.#remoteId === from)) this.#bye();
  }

  async #takeOffer(from, description) {
    // The other side began anew, or said bye and is back. A connection that has agreed on nothing yet serves for that.
    if (!this.#pc || (this.#pc.remoteDescription && this.#remoteId !== from)) this.#fresh();
    this.#remoteId = from;
    if (this.#pc.signalingState !== 'stable') {
      if (!this.#polite) return;
      // Nothing is agreed yet: starting over is simpler than to roll back, which would leave a transceiver behind.
      if (!this.#pc.remoteDescription) this.#fresh(this.#id);
    }
    this.#beginAt = null;
    const pc = this.#pc;
    await pc.setRemoteDescription(description);
    const transceiver = pc.getTransceivers()[0];
    transceiver.direction = 'sendrecv';
    this.#sender = transceiver.sender;
    await this.#sender.replaceTrack(this.#track);
    await pc.setLocalDescription();
    if (pc !== this.#pc) return;
    this.#sentAt = null;
    this.#send('answer', { description: describe(pc.localDescription) });
    await this.#flush();
  }

  async #takeAnswer(from, description) {
    if (this.#pc?.signalingState !== 'have-local-offer') return;
    this.#remoteId = from;
    this.#sentAt = null;
    await this.#pc.setRemoteDescription(description);
    await this.#flush();
  }

  /** A candidate may overtake its offer, and is of no use before it. */
  async #takeCandidate(from, candidate) {
    if (this.#pc?.remoteDescription && from === this.#remoteId) return this.#add(candidate);
    this.#early.push({ from, candidate });
    if (this.#early.length > EARLY) this.#early.shift();
  }

  async #flush() {
    const mine = this.#early.filter((each) => each.from === this.#remoteId);
    this.#early = this.#early.filter((each) => each.from !== this.#remoteId);
    for (const { candidate } of mine) await this.#add(candidate);
  }

  async #add(candidate) {
    // One that belongs to an offer that yielded fits nothing any more, and one that is bad leaves the others.
    await this.#pc.addIceCandidate(candidate).catch(() => {});
  }

  #bye() {
    this.#drop();
    this.#remoteId = null;
    this.#beginAt = null;
    this.#become('closed');
  }

  async #send(kind, content) {
    const to = kind === 'candidate' || kind === 'offer' ? this.#agreed() : this.#remoteId;
    return this.#options.send(kind, { from: this.#id, ...(to && { to }), ...content });
  }

  /** Before anything is agreed, the other side's id may be that of a connection that is about to make way. */
  #agreed() {
    return this.#pc?.remoteDescription ? this.#remoteId : null;
  }
}

function describe({ type, sdp }) {
  return { type, sdp };
}
