/**
 * The server's clock as seen from here. Leases are compared with it alone: a device's clock may be
 * minutes off, and may be set while the page is open.
 *
 * Local instants are milliseconds of a monotonic clock, server instants are milliseconds since 1970.
 */
export class ServerClock {
  #low = -Infinity;
  #high = Infinity;
  #local;

  constructor(local = () => performance.now()) {
    this.#local = local;
  }

  local() {
    return this.#local();
  }

  /** Takes in a server's time that came with the reply to a request sent and received at these local instants. */
  sample(serverTime, sent, received) {
    const at = Date.parse(serverTime);
    if (Number.isNaN(at)) return;
    // The server read its clock somewhere between the two, and cut it to milliseconds.
    const low = at - received;
    const high = at + 1 - sent;
    // Bounds that cannot both hold mean that a clock was stepped, drifted or slept: believe the newer.
    const fits = low <= this.#high && high >= this.#low;
    this.#low = fits ? Math.max(low, this.#low) : low;
    this.#high = fits ? Math.min(high, this.#high) : high;
  }

  /** The server's time now, in milliseconds since 1970; NaN until the first sample. */
  now() {
    return this.#local() + (this.#low + this.#high) / 2;
  }
}
