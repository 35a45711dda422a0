package io.huddle.presence;

import io.huddle.room.RoomState;
import java.time.Instant;
import java.util.Map;

/**
 * How many rooms and sessions there were at one moment, of all nodes together and without synthetic rooms. Immutable.
 *
 * @param rooms by state; a state that is missing was not counted this time
 * @param sessions by state, of those that are not absent; a state that is missing had none
 * @param oldestSeconds since the oldest last proof of life of those sessions; 0 if there are none
 */
record Headcount(Instant at, Map<RoomState, Long> rooms, Map<SessionState, Long> sessions, double oldestSeconds) {
    Headcount {
        rooms = Map.copyOf(rooms);
        sessions = Map.copyOf(sessions);
    }

    /** Not a number where they were not counted. */
    double rooms(RoomState state) {
        Long count = rooms.get(state);
        return count == null ? Double.NaN : count;
    }

    long sessions(SessionState state) {
        return sessions.getOrDefault(state, 0L);
    }
}
