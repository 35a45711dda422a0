package io.huddle.membership;

import java.util.function.LongSupplier;

/**
 * The two clocks of this machine. Neither is compared with another machine's; only what has elapsed counts.
 *
 * @param nanos monotonic, but stands still while some machines sleep
 * @param wallMs goes on while the machine sleeps, but may be set
 */
record Clocks(LongSupplier nanos, LongSupplier wallMs) {
    /** An instant by both clocks. */
    record Instant(long nanos, long wallMs) {}

    Instant read() {
        return new Instant(nanos.getAsLong(), wallMs.getAsLong());
    }

    /** What has elapsed since, by the clock that says more: a node rather stops too early than goes on too long. */
    long elapsedNanos(Instant since) {
        long wall = (wallMs.getAsLong() - since.wallMs()) * 1_000_000;
        return Math.max(nanos.getAsLong() - since.nanos(), wall);
    }

    /** What has elapsed since by the monotonic clock, which never says too much. */
    long elapsedMs(long sinceNanos) {
        return (nanos.getAsLong() - sinceNanos) / 1_000_000;
    }
}
