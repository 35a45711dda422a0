package io.huddle.presence;

import io.huddle.web.Refusal;

/** Turns a refusal of the rules into what the caller reads. Pure. */
final class Rejections {
    private Rejections() {}

    /** @param generation the current one */
    static Rejection of(Refusal refusal, String command, String room, String session, long generation) {
        return of(refusal, command, room, session, generation, false);
    }

    /** @param synthetic whether the room is left out of what is counted */
    static Rejection of(
            Refusal refusal, String command, String room, String session, long generation, boolean synthetic) {
        return new Rejection(refusal, detail(refusal, generation), command, room, session, generation, synthetic);
    }

    private static String detail(Refusal refusal, long generation) {
        return switch (refusal) {
            // A number that was mistyped, too high perhaps, is told from one that was joined over.
            case STALE_GENERATION -> "only the newest generation of the session counts, which is " + generation;
            case LEASE_EXPIRED -> "the session has expired; join again";
            case SESSION_ENDED -> "this generation has ended; join again to come back";
            case ROOM_CLOSING -> "the room is closing and takes nobody in";
            case ROOM_CLOSED -> "the room is closed and stays closed; create another";
            case ROOM_FULL -> "all places of the room are taken; try again when somebody has left";
            default -> refusal.title();
        };
    }
}
