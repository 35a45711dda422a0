/**
 * Lets the others be heard: an audio element for each. `blocked` is true while the browser waits for a press before it
 * plays anything; then call `unblock()` from the press.
 */
export class Playback {
  blocked = false;

  #elements = new Map();
  #onChange;
  #make;

  constructor({ onChange = () => {}, make = () => new Audio() } = {}) {
    this.#onChange = onChange;
    this.#make = make;
  }

  /** Plays somebody's track; null ends it. */
  set(key, track) {
    const old = this.#elements.get(key);
    if (old) {
      old.pause();
      old.srcObject = null;
      this.#elements.delete(key);
    }
    if (!track) return;
    const element = this.#make();
    element.autoplay = true;
    element.srcObject = new MediaStream([track]);
    this.#elements.set(key, element);
    this.#play(element);
  }

  async unblock() {
    this.blocked = false;
    this.#onChange();
    await Promise.all([...this.#elements.values()].map((element) => this.#play(element)));
  }

  async #play(element) {
    try {
      await element.play();
    } catch (error) {
      if (error.name !== 'NotAllowedError') return;
      this.blocked = true;
      this.#onChange();
    }
  }
}
