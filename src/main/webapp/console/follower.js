import { backoff } from '../client/backoff.js';
import { listen } from '../client/feed.js';
import { pause } from '../client/retry.js';

/**
 * Follows the events of one room for as long as the page is seen: `onEvent(event)` for each, `onGap()` where the server sent
 * a snapshot in their place, `onStatus('live' | 'reconnecting')`.
 */
export class Follower {
  #stop = new AbortController();

  constructor(admin, room, told) {
    this.admin = admin;
    this.room = room;
    this.told = told;
  }

  async follow(seq) {
    const { signal } = this.#stop;
    let last = seq;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await listen(this.admin, this.room, last, {
          signal,
          onOpen: () => {
            failures = 0;
            this.told.onStatus('live');
          },
          onMessage: (message) => {
            if (signal.aborted) return;
            last = Number(message.id) || last;
            if (message.event === 'snapshot') this.told.onGap();
            else this.told.onEvent(JSON.parse(message.data));
          },
        });
      } catch (error) {
        if (signal.aborted) return;
        this.told.onStatus('reconnecting');
        await pause(backoff(failures++, Math.random(), error.retryAfterMs), signal);
      }
    }
  }

  stop() {
    this.#stop.abort();
  }
}
