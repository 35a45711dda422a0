package io.huddle.presence;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One entry of a roster on the wire. */
public record SessionJson(
        String session,
        String participant,
        long generation,
        String state,
        Instant joinedAt,
        Instant leaseUntil,
        @Nullable Instant suspectAt) {}
