package io.huddle.presence;

import java.time.Instant;

/** What the sweep looks for beside expiries. Pure. */
final class SweepRules {
    private SweepRules() {}

    /**
     * True if a present session has given no proof of life for two heartbeat intervals in which it could have: silence
     * during an outage that was forgiven is no evidence.
     */
    static boolean isSilent(Seat seat, Moment written) {
        Instant from = seat.provenAt().isAfter(written.graced()) ? seat.provenAt() : written.graced();
        return seat.state() == SessionState.PRESENT
                && from.plus(seat.terms().patience()).isBefore(written.now());
    }
}
