package io.huddle.presence;

import io.huddle.rollout.Media;
import io.huddle.rollout.Observations;
import io.huddle.rollout.Stage;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One session as the two rosters see it: by its lease, and by its connection.
 *
 * <p>By its connection: it has a client stream, or has had none in this generation, as a member by REST alone. Where an
 * older system tells its roster of the room, that system's word counts instead.
 *
 * @param state on the wire
 * @param lostStream whether the stream of this generation has ended
 * @param observed what the older system saw of the participant, while that is fresh; null if nothing
 */
public record MemberView(
        String state,
        Instant leaseUntil,
        boolean lostStream,
        @Nullable String observed) {
    /** Whether an older system tells its roster of this room: a column, with {@link #source} as its one parameter. */
    public static String fed(String room, String now) {
        return "EXISTS (SELECT 1 FROM room_observation fed WHERE fed.room_id = " + room
                + " AND fed.source = ? AND fed.observed_at > " + Observations.freshSince(now) + ")";
    }

    /** A join of what that system saw of a session's participant, with {@link #source} as its one parameter. */
    public static String seen(String as, String session, String now) {
        return " LEFT JOIN room_observation " + as + " ON " + as + ".room_id = " + session + ".room_id AND " + as
                + ".source = ? AND " + as + ".participant = " + session + ".participant AND " + as + ".observed_at > "
                + Observations.freshSince(now);
    }

    /** The source that is an older system's roster. */
    public static String source() {
        return Observations.rosterSource();
    }

    /** True if the roster by leases has it. */
    public boolean isLeased(Instant now) {
        return isLive() && leaseUntil.isAfter(now);
    }

    /** True if the roster by connections has it. */
    public boolean isConnected(boolean isFed) {
        return isLive() && (isFed ? observed != null && !observed.equals(Media.GONE.wire()) : !lostStream);
    }

    /** True if the roster of this stage shows it. */
    boolean isShown(Stage stage, boolean isFed, Instant now) {
        return stage.endsLeases() ? isLeased(now) : isConnected(isFed);
    }

    private boolean isLive() {
        return !state.equals(SessionState.ABSENT.wire());
    }
}
