package io.huddle.presence;

import java.time.Duration;

/** The lengths that a room's policy sets for its sessions. */
record Terms(Duration heartbeat, Duration lease, Duration suspendedLease) {
    static Terms ofSeconds(int heartbeat, int lease, int suspendedLease) {
        return new Terms(Duration.ofSeconds(heartbeat), Duration.ofSeconds(lease), Duration.ofSeconds(suspendedLease));
    }

    /** The lease of a session in this state. */
    Duration of(SessionState state) {
        return state == SessionState.SUSPENDED ? suspendedLease : lease;
    }

    /** Without proof of life for longer than this a present session becomes suspect. */
    Duration patience() {
        return heartbeat.multipliedBy(2);
    }
}
