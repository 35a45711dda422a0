package io.huddle.event;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One durable transition, as stored and as told. Immutable.
 *
 * @param seq the place in the room's order, from 1, without gaps
 * @param prior the state before; absent for what was not there before
 * @param reason from a closed set: why a session became suspect or was removed, why a room closed
 * @param shadow true for what was computed and not applied; absent otherwise
 */
public record RoomEvent(
        String id,
        String room,
        long seq,
        String type,
        @Nullable String session,
        @Nullable String participant,
        @Nullable Long generation,
        @Nullable String prior,
        String next,
        @Nullable String reason,
        Instant at,
        @Nullable Boolean shadow) {}
