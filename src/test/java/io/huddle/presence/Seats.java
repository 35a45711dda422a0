package io.huddle.presence;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Seats for the tests of the rules, in a room with heartbeat 5 s, lease 15 s, suspended lease 120 s. */
final class Seats {
    static final Instant NOW = Instant.parse("2026-11-30T09:00:00Z");
    static final Terms TERMS = Terms.ofSeconds(5, 15, 120);
    static final long GENERATION = 3;

    private Seats() {}

    /** A session joined two minutes ago, proven 4 s ago, with this long left of its lease and the counter 10. */
    static Seat live(SessionState state, long secondsLeft) {
        return seat(state, NOW.plusSeconds(secondsLeft), null);
    }

    /** Generation 3 has ended 20 s ago. */
    static Seat ended(Ending ending) {
        return seat(SessionState.ABSENT, NOW.minusSeconds(20), ending);
    }

    private static Seat seat(SessionState state, Instant leaseUntil, @Nullable Ending ending) {
        return new Seat(
                state,
                GENERATION,
                leaseUntil,
                NOW.minusSeconds(4),
                NOW.minusSeconds(120),
                state == SessionState.SUSPECT ? NOW.minusSeconds(1) : null,
                10,
                ending,
                TERMS);
    }
}
