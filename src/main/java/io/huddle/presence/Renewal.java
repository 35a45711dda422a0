package io.huddle.presence;

import java.time.Instant;

/** What a renewal or a suspend answers. */
public record Renewal(String state, Instant leaseUntil, Instant serverTime) {
    static Renewal of(Sessions.Outcome outcome) {
        return new Renewal(outcome.seat().state().wire(), outcome.seat().leaseUntil(), outcome.now());
    }
}
