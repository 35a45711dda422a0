/** Who speaks, from audio levels between 0 and 1. Pure: the present is an argument. */

const LOUD = 0.015;
/** Words have gaps. */
const HOLD_MS = 700;

/** Keeps who speaks by key, steady over the gaps between words. */
export class Speakers {
  #heard = new Map();

  /** Takes a level; true if this one counts as speaking. */
  hear(key, level, now) {
    if (level >= LOUD) this.#heard.set(key, now);
    return this.speaks(key, now);
  }

  speaks(key, now) {
    return now - (this.#heard.get(key) ?? -Infinity) <= HOLD_MS;
  }

  forget(key) {
    this.#heard.delete(key);
  }
}

const SETTLED_MS = 1500;
const PAUSE_MS = 10_000;

/**
 * Tells who speaks to those who cannot see it, without talking over the conversation: one name, when somebody else
 * has had the word for a moment, and not again for ten seconds.
 */
export class SpeakerTeller {
  #told = null;
  #toldAt = -Infinity;
  #candidate = null;
  #since = 0;

  /** `speaking` are the keys of those who speak, oneself left out. Returns the one to tell now, or null. */
  next(speaking, now) {
    if (!speaking.includes(this.#candidate)) {
      this.#candidate = speaking[0] ?? null;
      this.#since = now;
    }
    const settled = this.#candidate !== null && now - this.#since >= SETTLED_MS;
    if (!settled || this.#candidate === this.#told || now - this.#toldAt < PAUSE_MS) return null;
    this.#told = this.#candidate;
    this.#toldAt = now;
    return this.#told;
  }
}
