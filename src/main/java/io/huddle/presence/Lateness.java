package io.huddle.presence;

import java.time.Duration;

/** How late the renewals of a while came. Immutable. */
record Lateness(long renewals, double seconds, double worstSeconds) {
    static final Lateness NONE = new Lateness(0, 0, 0);

    Lateness and(Duration late) {
        double one = late.toNanos() / 1e9;
        return new Lateness(renewals + 1, seconds + one, Math.max(worstSeconds, one));
    }

    Lateness and(Lateness other) {
        return new Lateness(
                renewals + other.renewals, seconds + other.seconds, Math.max(worstSeconds, other.worstSeconds));
    }

    double meanSeconds() {
        return renewals == 0 ? 0 : seconds / renewals;
    }
}
