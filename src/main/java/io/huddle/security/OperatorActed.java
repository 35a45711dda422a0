package io.huddle.security;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An operator did something. Fired inside the transaction of the deed, so that deed and audit line are written together or
 * not at all.
 */
public record OperatorActed(
        String actor,
        String action,
        String reason,
        @Nullable String room,
        @Nullable String session,
        @Nullable Long generation,
        Instant at) {}
