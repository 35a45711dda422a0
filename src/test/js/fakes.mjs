import { mock } from 'node:test';

/** What the tests of the page's modules share: a socket and an RTCPeerConnection that obey, and time that stands still. */

export const settle = async () => {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
};

/** Time of the mocked timers; `now` moves with them. */
export class Time {
  at = 0;

  now = () => this.at;

  async pass(ms, step = 250) {
    for (let passed = 0; passed < ms; passed += step) {
      this.at += step;
      mock.timers.tick(step);
      await settle();
    }
  }
}

/** The page's end of a WebSocket, the server's played by the test. */
export class FakeSocket {
  sent = [];
  closed = null;

  constructor(address, protocols) {
    this.address = new URL(address);
    this.protocols = protocols;
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close(code, reason) {
    this.closed = { code, reason };
  }

  /** A message of the server. */
  says(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }

  /** The server closes, or the line breaks with 1006. */
  breaks(code = 1006, reason = '') {
    this.onclose({ code, reason });
  }

  /** The two pings after which a stream counts as connected. */
  publish() {
    this.says({ pingPong: {} });
    this.says({ pingPong: {} });
  }

  /** The last request of this method. */
  request(method) {
    return this.sent.findLast((each) => each[`${method}Request`]);
  }

  answers(method, response = {}) {
    this.says({ requestId: this.request(method).requestId, reply: true, [`${method}Response`]: response });
  }

  refuses(method, error, userError = true) {
    this.says({ requestId: this.request(method).requestId, reply: true, error, userError });
  }
}

let connections = 0;

/**
 * An RTCPeerConnection as far as negotiation goes: it refuses what a browser refuses, and is connected once both ends
 * have agreed on each other. A description's sdp is the id of the connection that made it.
 */
export class FakeConnection {
  static all = new Map();

  signalingState = 'stable';
  connectionState = 'new';
  localDescription = null;
  remoteDescription = null;
  candidates = [];
  restarts = 0;

  #transceivers = [];
  #dead = false;

  constructor(configuration) {
    this.configuration = configuration;
    this.id = `pc-${++connections}`;
    FakeConnection.all.set(this.id, this);
  }

  addTransceiver(track) {
    return this.#transceiver(track);
  }

  getTransceivers() {
    return this.#transceivers;
  }

  getReceivers() {
    return this.#transceivers.map((each) => each.receiver);
  }

  async getStats() {
    return new Map();
  }

  restartIce() {
    this.restarts++;
  }

  async setLocalDescription() {
    await null;
    if (this.signalingState === 'closed') throw new Error('InvalidStateError');
    const type = this.signalingState === 'have-remote-offer' ? 'answer' : 'offer';
    this.localDescription = { type, sdp: this.id };
    this.signalingState = type === 'offer' ? 'have-local-offer' : 'stable';
    this.onicecandidate?.({ candidate: { candidate: `of ${this.id}` } });
    this.#agree();
  }

  async setRemoteDescription({ type, sdp }) {
    await null;
    if (type === 'answer' && this.signalingState !== 'have-local-offer') throw new Error('InvalidStateError');
    if (type === 'offer' && this.signalingState === 'closed') throw new Error('InvalidStateError');
    this.remoteDescription = { type, sdp };
    this.signalingState = type === 'offer' ? 'have-remote-offer' : 'stable';
    if (!this.#transceivers.length) this.#transceiver(null);
    this.ontrack?.({ track: { of: sdp } });
    this.#agree();
  }

  async addIceCandidate(candidate) {
    if (!this.remoteDescription) throw new Error('InvalidStateError');
    this.candidates.push(candidate.candidate);
  }

  close() {
    this.signalingState = 'closed';
    this.connectionState = 'closed';
  }

  /** Tells what became of the network. */
  turns(state) {
    this.connectionState = state;
    this.onconnectionstatechange?.();
  }

  /** Fails, and whatever is agreed on later cannot heal it. */
  dies() {
    this.#dead = true;
    this.turns('failed');
  }

  #transceiver(track) {
    const sender = { track: track === 'audio' ? null : track, replaceTrack: async (other) => (sender.track = other) };
    const transceiver = { sender, receiver: {}, direction: 'sendrecv' };
    this.#transceivers.push(transceiver);
    return transceiver;
  }

  #agree() {
    const other = FakeConnection.all.get(this.remoteDescription?.sdp);
    const both = other?.remoteDescription?.sdp === this.id && other.signalingState === 'stable' && this.signalingState === 'stable';
    if (!both || this.#dead || other.#dead) return;
    for (const each of [this, other]) if (each.connectionState !== 'connected') each.turns('connected');
  }
}
