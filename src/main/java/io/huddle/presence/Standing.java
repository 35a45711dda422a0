package io.huddle.presence;

import io.huddle.rollout.Stage;
import io.huddle.room.RoomState;
import io.huddle.stream.CloseCause;
import io.huddle.web.Refusal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a session stands at one moment, read without locks: enough to end a stream or to refuse a signal, never to change
 * anything.
 *
 * @param ending why an absent session is absent
 * @param stage what is enforced in its room
 */
record Standing(
        String session,
        String room,
        String team,
        long generation,
        SessionState state,
        @Nullable Ending ending,
        Instant leaseUntil,
        RoomState roomState,
        Moment moment,
        Stage stage) {
    /** Why a stream has to end. */
    record End(CloseCause cause, String reason) {
        static final String SUPERSEDED = "superseded";

        static End of(Ending ending) {
            return new End(CloseCause.SESSION_ENDED, ending.wire());
        }

        /** What is gone from the database was in a room that closed long ago. */
        static End ofTheVanished() {
            return of(Ending.ROOM_CLOSED);
        }
    }

    /**
     * Why the stream of this generation has to end; null if it may go on. A lease that has run out is the sweep's to judge:
     * it writes the ending.
     */
    @Nullable
    End end(long streams) {
        if (streams < generation && stage.fencesGenerations()) {
            return new End(CloseCause.SUPERSEDED, End.SUPERSEDED);
        }
        if (state == SessionState.ABSENT) {
            return End.of(ending == null ? Ending.EXPIRED : ending);
        }
        if (roomState != RoomState.OPEN) {
            return End.of(Ending.ROOM_CLOSED);
        }
        // A database that lost what it had promised: the generation was never joined, so its lease is no lease.
        return streams > generation ? End.of(Ending.EXPIRED) : null;
    }

    /** True if its lease has run out, which ends it sooner or later. */
    boolean isLapsed() {
        return stage.endsLeases() && state != SessionState.ABSENT && !leaseUntil.isAfter(moment.now());
    }

    /** Why this generation may not act; null if it may. */
    @Nullable
    Refusal refusal(long wanted) {
        return SessionRules.refusal(wanted, generation, roomState, isLapsed(), state, ending, stage);
    }

    /** True if the session has a member in it now. */
    boolean isMember() {
        return state != SessionState.ABSENT && !isLapsed();
    }
}
