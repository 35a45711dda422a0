package io.huddle.admin;

import io.huddle.admin.RoomViews.MediaReport;
import io.huddle.drift.ReportedAudio;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The latest that is said of somebody's audio: what drift is judged by, while it is not out of date. Pure.
 *
 * @param source which source observed it; null where the member itself reported it
 * @param says {@code flowing}, {@code silent} or {@code gone}; of a member's own report instead of the latter {@code failed} or
 *     {@code closed}
 * @param at when it was observed or reported
 * @param outOfDate true if it is too old to be judged by
 */
public record Evidence(@Nullable String source, String says, Instant at, long ageSeconds, boolean outOfDate) {
    private static final String FLOWING = "flowing";

    /** @param fresh for how long evidence counts */
    static Evidence of(@Nullable String source, String says, Instant at, Instant now, Duration fresh) {
        long age = Math.max(0, Duration.between(at, now).toSeconds());
        return new Evidence(source, says, at, age, at.isBefore(now.minus(fresh)));
    }

    /** What a member's own report says of its audio: null where it only says that a connection is well, which proves none. */
    static @Nullable Evidence of(@Nullable MediaReport report, Instant now, Duration fresh) {
        if (report == null) {
            return null;
        }
        Boolean flows = ReportedAudio.flows(report.state(), report.flowing());
        if (flows == null) {
            return null;
        }
        String silence = ReportedAudio.isOver(report.state()) ? report.state() : "silent";
        return of(null, flows ? FLOWING : silence, report.at(), now, fresh);
    }

    /** The later of the two, the first where they are of one instant. */
    static @Nullable Evidence latest(@Nullable Evidence one, @Nullable Evidence other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return other.at().isAfter(one.at()) ? other : one;
    }

    boolean isFlowing() {
        return says.equals(FLOWING);
    }
}
