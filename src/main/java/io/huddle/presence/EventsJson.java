package io.huddle.presence;

import io.huddle.event.RoomEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events after a number, on the wire.
 *
 * @param next the number to ask after next
 * @param snapshot where events after the asked number are gone: the state at {@code next}, from which to go on
 */
public record EventsJson(
        List<RoomEvent> items, long next, @Nullable RosterJson snapshot) {}
