const WHY = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
};

/**
 * The own microphone. `state` is `off`, `asking`, `on`, or why there is none: `denied`, `missing`, `busy`, `lost` (it was
 * unplugged), `unsupported` (browsers give a microphone to https and localhost only). Which device was chosen is known
 * for as long as the page lives and written nowhere.
 */
export class Microphone {
  state = 'off';
  muted = false;
  devices = [];
  deviceId = null;
  track = null;

  #media;
  #onChange;
  #context = null;
  #meter = null;
  #tries = 0;

  constructor({ media = navigator.mediaDevices, onChange = () => {} } = {}) {
    this.#media = media;
    this.#onChange = onChange;
    media?.addEventListener?.('devicechange', () => this.#list());
  }

  /** Asks for the microphone and resolves to whether there is one; a second call with another device changes over. */
  async open(deviceId = this.deviceId) {
    if (!this.#media?.getUserMedia) return this.#become('unsupported');
    const mine = ++this.#tries;
    if (!this.track) this.#become('asking');
    const wanted = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    try {
      const audio = deviceId ? { ...wanted, deviceId: { exact: deviceId } } : wanted;
      const stream = await this.#media.getUserMedia({ audio });
      const [track] = stream.getAudioTracks();
      // Closed, or asked again, while the user was thinking.
      if (mine !== this.#tries) return track.stop();
      this.#use(track, stream);
      await this.#list();
    } catch (error) {
      if (mine !== this.#tries) return;
      this.#release();
      this.#become(WHY[error.name] ?? 'busy');
    }
    return this.track !== null;
  }

  /** Lets go of the device, so that the browser shows that nobody listens. */
  close() {
    this.#tries++;
    this.#release();
    this.#become('off');
  }

  mute(muted) {
    this.muted = muted;
    if (this.track) this.track.enabled = !muted;
    this.#onChange();
  }

  /** How loud it is right now, between 0 and 1; 0 while muted. */
  level() {
    if (!this.#meter || this.muted) return 0;
    const samples = new Float32Array(this.#meter.fftSize);
    this.#meter.getFloatTimeDomainData(samples);
    return Math.sqrt(samples.reduce((sum, each) => sum + each * each, 0) / samples.length);
  }

  #use(track, stream) {
    this.#release();
    this.track = track;
    this.deviceId = track.getSettings?.().deviceId ?? null;
    track.enabled = !this.muted;
    track.onended = () => {
      if (this.track !== track) return;
      this.#release();
      this.#become('lost');
    };
    this.#measure(stream);
    this.#become('on');
  }

  #measure(stream) {
    if (typeof AudioContext === 'undefined') return;
    this.#context ??= new AudioContext();
    this.#context.resume().catch(() => {});
    this.#meter = this.#context.createAnalyser();
    this.#meter.fftSize = 512;
    this.#context.createMediaStreamSource(stream).connect(this.#meter);
  }

  #release() {
    this.#meter = null;
    const { track } = this;
    this.track = null;
    track?.stop();
  }

  async #list() {
    const all = await this.#media.enumerateDevices().catch(() => []);
    // Before permission is given, the browser lists devices without names.
    this.devices = all.filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId);
    this.#onChange();
  }

  #become(state) {
    this.state = state;
    this.#onChange();
    return this.track !== null;
  }
}
