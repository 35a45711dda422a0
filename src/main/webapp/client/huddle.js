import { Mesh } from './mesh.js';
import { Microphone } from './microphone.js';
import { Playback } from './playback.js';
import { shown } from './roster.js';
import { Session } from './session.js';
import { Speakers } from './speaking.js';
import { followVisibility } from './visibility.js';
import { followSleep } from './wake.js';
import { Watch } from './watch.js';

const SAMPLE_MS = 200;
const MEASURE_MS = 2000;
const REPORT_MS = 10_000;

/**
 * A room with everything in it: who is there, being there oneself, and talking. Watching begins with `watch.start()`,
 * talking with `join()`; after `close()` the object is of no more use.
 *
 * `onChange()` is called after anything changed, often; `nameOf(participant)` gives the name to show, since the server
 * knows pseudonyms only. `handlers` may add a `dCall({ type, data })` for calls of the server, with JSON texts.
 */
export class Huddle {
  #api;
  #room;
  #participant;
  #onChange;
  #nameOf;
  #speakers = new Speakers();
  #own = null;
  #timers;
  #told = null;
  #toldAt = -Infinity;
  #kind = 'connecting';
  /** Whether the microphone was given up for a suspension or a silence and is to be had again after it. */
  #resting = false;
  #stops;

  constructor({ api, room, participant, nameOf = (each) => each, onChange = () => {}, handlers = {}, ...parts }) {
    this.#api = api;
    this.#room = room;
    this.#participant = participant;
    this.#nameOf = nameOf;
    this.#onChange = onChange;
    const change = () => this.#changed();
    this.microphone = parts.microphone ?? new Microphone({ onChange: () => this.#tuned() });
    this.playback = new Playback({ onChange: () => this.#onChange() });
    this.mesh = new Mesh({
      send: (signal) => this.#signal(signal),
      onTrack: (session, track) => this.playback.set(session, track),
      onChange: () => this.#onChange(),
      ...parts.mesh,
    });
    this.watch = new Watch(api, room, {
      onChange: () => this.#watched(),
      onEvent: (event) => this.session.heard(event),
    });
    this.session = new Session(api, room, participant, {
      onChange: change,
      onLease: (lease) => this.watch.renewed(lease),
      onStream: (stream) => this.watch.follow(stream),
      handlers: {
        ...handlers,
        dEvents: (request) => this.watch.take(request),
        dSignal: (signal) => this.mesh.receive(signal),
      },
    });
    this.#timers = [
      setInterval(() => this.#sample(), SAMPLE_MS),
      setInterval(() => this.#measure(), MEASURE_MS),
    ];
    this.#stops = [
      followVisibility(this.session, { stays: () => this.#staysHidden() }),
      followSleep(() => this.#hurry()),
      followPulse(() => this.session.beat()),
    ];
    this.#listen();
  }

  /** Joins, with the microphone if there is one; without, one listens. Call it from a press, so that sound may play. */
  async join() {
    // The microphone is asked for beside: nobody is kept out of the room by a question that is not answered.
    this.#resting = false;
    this.microphone.open();
    await this.session.join();
  }

  async leave() {
    this.#resting = false;
    this.microphone.close();
    await this.session.leave();
  }

  mute(muted = !this.microphone.muted) {
    this.microphone.mute(muted);
  }

  /** Changes over to another microphone, one of `microphone.devices`. */
  async choose(deviceId) {
    await this.microphone.open(deviceId);
  }

  /**
   * Those who are in the room now, in order of joining: the roster's entry with `name`, `own`, `speaking`, and for the
   * others `audio` (the connection's state), `quality` (`good`, `fair`, `poor`, `none` or null), `stats`,
   * and `listensOnly` where it is known that nothing will come.
   */
  people(now = this.#api.clock.now()) {
    const { roster } = this.watch;
    return roster ? shown(roster, now).map((entry) => this.#person(entry)) : [];
  }

  /**
   * Who can hear one, as far as it is known: the session's `state`; whether it is `reconnecting`; how many `others` take
   * part in the audio, to how many of them one is `connected` and to how many the connection is `interrupted`; and how
   * many are `suspended`.
   */
  audience(now = this.#api.clock.now()) {
    const { session } = this;
    const all = this.people(now).filter(({ own }) => !own);
    const others = all.filter(({ state }) => state !== 'suspended');
    const count = (...states) => others.filter(({ audio }) => states.includes(audio)).length;
    return {
      state: session.state,
      reconnecting: session.line === 'down' || session.lapsed(now) || session.overdue(now),
      others: others.length,
      connected: count('connected'),
      interrupted: count('disconnected', 'failed'),
      suspended: all.length - others.length,
    };
  }

  /** Leaves, and lets go of everything. */
  close() {
    this.#timers.forEach(clearInterval);
    this.#stops.forEach((stop) => stop());
    this.watch.pause();
    this.leave();
    this.#onChange = () => {};
    this.mesh.stop();
  }

  #person(entry) {
    const own = entry.participant === this.#participant;
    const local = this.#api.clock.local();
    const speaking = this.#speakers.speaks(own ? 'own' : entry.session, local);
    const person = { ...entry, own, name: this.#nameOf(entry.participant), speaking };
    const peer = own ? null : this.mesh.peers.get(entry.session);
    return peer ? { ...person, audio: peer.state, quality: peer.quality, stats: peer.stats, listensOnly: peer.listensOnly } : person;
  }

  /** Events that get through again after a failure say that the network is back, before any timer does. */
  #watched() {
    const { kind } = this.watch.status;
    const back = kind === 'live' && (this.#kind === 'reconnecting' || this.#kind === 'unavailable');
    this.#kind = kind;
    if (back && this.session.line === 'down') this.session.hurry();
    this.#changed();
  }

  #changed() {
    const { session, watch } = this;
    if (session.state === 'in' && watch.roster) {
      this.mesh.update(session.membership, [...watch.roster.entries.values()]);
    } else if (session.state !== 'joining' && this.#own) {
      this.mesh.stop();
    }
    this.#own = session.state === 'in' || session.state === 'joining' ? session.membership : null;
    if (session.state === 'ended') this.microphone.state !== 'off' && this.microphone.close();
    this.#rest();
    this.#onChange();
  }

  /** Whom nobody hears needs no microphone: the browser's sign that it listens goes off until one is back. */
  #rest() {
    const { state } = this.session;
    if (state === 'suspended' || state === 'dropped') {
      if (this.microphone.state === 'off') return;
      this.#resting = true;
      this.microphone.close();
    } else if (state === 'ended') {
      this.#resting = false;
    } else if (state === 'in' && this.#resting) {
      this.#resting = false;
      this.microphone.open();
    }
  }

  #tuned() {
    this.mesh.setTrack(this.microphone.track);
    this.#onChange();
  }

  async #signal({ toSession, kind, payload }) {
    const { stream } = this.session;
    if (!stream) return false;
    const request = { room: this.#room, toSession, kind, payload };
    const { delivered } = await stream.call('uSignal', request, { timeoutMs: 5000 });
    return Boolean(delivered);
  }

  #sample() {
    if (!this.#own) return;
    const now = this.#api.clock.local();
    this.#speakers.hear('own', this.microphone.level(), now);
    for (const [session, { receiver }] of this.mesh.peers) {
      const [source] = receiver?.getSynchronizationSources?.() ?? [];
      this.#speakers.hear(session, source?.audioLevel ?? 0, now);
    }
  }

  /** Reports on change and every ten seconds. */
  async #measure() {
    if (this.session.state !== 'in') return;
    const report = await this.mesh.measure();
    const now = this.#api.clock.local();
    const news = `${report.state} ${report.flowing} ${this.session.membership.generation}`;
    if (news === this.#told && now - this.#toldAt < REPORT_MS) return;
    this.#told = news;
    this.#toldAt = now;
    await this.session.media(report);
  }

  /** A phone in a pocket sleeps; a laptop goes on talking behind another window. */
  #staysHidden() {
    const pocket = navigator.userAgentData?.mobile ?? /Android|iPhone|iPad|Mobile/.test(navigator.userAgent);
    return !pocket && (this.microphone.track !== null || this.mesh.peers.size > 0);
  }

  #hurry() {
    this.session.hurry();
    this.watch.hurry();
  }

  #listen() {
    const online = () => this.watch.hurry();
    const change = () => {
      if (!document.hidden) this.watch.start();
      else if (this.session.state !== 'in') this.watch.pause();
    };
    window.addEventListener('online', online);
    document.addEventListener('visibilitychange', change);
    this.#stops.push(() => {
      window.removeEventListener('online', online);
      document.removeEventListener('visibilitychange', change);
    });
  }
}

/** Ticks about once a second, also behind other windows. Returns a function that stops it. */
function followPulse(onTick) {
  try {
    const worker = new Worker(new URL('./pulse.js', import.meta.url));
    worker.onmessage = onTick;
    return () => worker.terminate();
  } catch {
    // A page of another origin may not start it: there, whoever waits alone behind another window may be suspended.
    return () => {};
  }
}
