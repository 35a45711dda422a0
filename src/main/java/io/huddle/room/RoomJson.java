package io.huddle.room;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A room on the wire. */
public record RoomJson(
        String id,
        String team,
        String occurrence,
        @Nullable String label,
        String state,
        boolean critical,
        boolean synthetic,
        Policy policy,
        String createdBy,
        Instant createdAt,
        @Nullable Instant closingAt,
        @Nullable Instant closedAt,
        long seq) {}
