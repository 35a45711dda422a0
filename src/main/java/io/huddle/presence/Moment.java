package io.huddle.presence;

import java.time.Duration;
import java.time.Instant;

/**
 * The database's clock and the sweep's heartbeat, read together and after the locks.
 *
 * @param beat the instant up to which the sweeps have judged
 * @param graced when the last outage was forgiven
 */
record Moment(Instant now, Instant beat, Instant graced) {
    /** A beat further ahead than this means that the clock stepped back. */
    static final Duration AHEAD = Duration.ofSeconds(1);

    /** True while nobody may judge a lease: the sweeps have been silent for too long, or the clock stepped back. */
    boolean isStale(Duration limit) {
        return isSilent(limit) || isAhead();
    }

    /** True if leases ran while nobody could renew. */
    boolean isSilent(Duration limit) {
        return beat.plus(limit).isBefore(now);
    }

    /**
     * The same for whoever judges later by a clock that has stepped back since: what it would end by this moment is not
     * over by that clock.
     */
    Moment notAfter(Instant clock) {
        return clock.isBefore(now) ? new Moment(clock, beat, graced) : this;
    }

    boolean isAhead() {
        return beat.isAfter(now.plus(AHEAD));
    }
}
