package io.huddle.presence;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * All that the rules know of a session. Immutable; the rules make the next one.
 *
 * @param generation 0 before the first join
 * @param leaseUntil for an absent session the instant at which it ended
 * @param provenAt the last proof of life
 * @param counter the highest counter seen in this generation, -1 before the first
 * @param ending why an absent session is absent, null before the first join
 * @param lapseTold whether an expiry of this generation was computed and told without being applied
 */
record Seat(
        SessionState state,
        long generation,
        Instant leaseUntil,
        Instant provenAt,
        Instant joinedAt,
        @Nullable Instant suspectAt,
        long counter,
        @Nullable Ending ending,
        Terms terms,
        boolean lapseTold) {
    static final long NO_COUNTER = -1;

    /** A seat whose generation has told of no lapse. */
    Seat(
            SessionState state,
            long generation,
            Instant leaseUntil,
            Instant provenAt,
            Instant joinedAt,
            @Nullable Instant suspectAt,
            long counter,
            @Nullable Ending ending,
            Terms terms) {
        this(state, generation, leaseUntil, provenAt, joinedAt, suspectAt, counter, ending, terms, false);
    }

    /** A session nobody has joined yet. */
    static Seat empty(Terms terms) {
        return new Seat(
                SessionState.ABSENT, 0, Instant.EPOCH, Instant.EPOCH, Instant.EPOCH, null, NO_COUNTER, null, terms);
    }

    Seat withLapseTold() {
        return new Seat(state, generation, leaseUntil, provenAt, joinedAt, suspectAt, counter, ending, terms, true);
    }

    boolean isLive() {
        return state != SessionState.ABSENT;
    }

    /** True if the lease of a live session has run out at this instant, swept or not. */
    boolean isLapsed(Instant now) {
        return isLive() && !leaseUntil.isAfter(now);
    }
}
