package io.huddle.drift;

import io.huddle.drift.AlertRules.Watch;
import io.huddle.drift.RoomPicture.Seat;
import io.huddle.drift.RoomPicture.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an alert tells of its room. Pure.
 *
 * @param oldestSeconds null if nobody is leased
 * @param transition the newest event's type, null if none is kept
 */
record Facts(
        Watch watch,
        String roomState,
        int leases,
        int suspects,
        @Nullable Long oldestSeconds,
        @Nullable String transition,
        @Nullable Instant transitionAt) {
    /** A room whose row is gone. */
    static final Facts GONE = new Facts(Watch.LEFT_OUT, "closed", 0, 0, null, null, null);

    /** The state, figures and last event of a room; {@code leased} are its sessions whose lease runs. */
    static Facts of(
            Watch watch,
            String roomState,
            List<Seat> leased,
            Instant now,
            @Nullable String transition,
            @Nullable Instant transitionAt) {
        int suspects = (int) leased.stream()
                .filter(seat -> seat.standing() == Standing.SUSPECT)
                .count();
        Long oldest = leased.stream()
                .map(Seat::provenAt)
                .min(Instant::compareTo)
                .map(proven -> Math.max(0, Duration.between(proven, now).toSeconds()))
                .orElse(null);
        return new Facts(watch, roomState, leased.size(), suspects, oldest, transition, transitionAt);
    }
}
