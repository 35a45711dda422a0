package io.huddle.drift;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An alert on the wire, and all that is kept of one: figures and opaque ids, no content of the room.
 *
 * @param group shared by the alerts that were open at the same time
 * @param severity {@code investigate} or {@code page}
 * @param state {@code open} or {@code closed}
 * @param roomState of the room when the alert was last judged, as all figures here
 * @param oldestUnrenewedLeaseSeconds since the oldest last proof of life; null if nobody is leased
 * @param lastTransition the type of the room's newest event; null once events are past their retention
 * @param pagedAt when it became a page
 * @param closeReason that the room was clean, that it is closing, or that the team's stage raises no alerts any more
 * @param version of the settings it was raised by
 */
public record AlertJson(
        String id,
        String group,
        String kind,
        String severity,
        String state,
        String room,
        String roomState,
        int activeLeases,
        int suspects,
        @Nullable Long oldestUnrenewedLeaseSeconds,
        @Nullable String lastTransition,
        @Nullable Instant lastTransitionAt,
        Instant openedAt,
        @Nullable Instant pagedAt,
        Instant updatedAt,
        @Nullable Instant closedAt,
        @Nullable String closeReason,
        String version) {
    static final String OPEN = "open";
    static final String CLOSED = "closed";
}
