package io.huddle.presence;

import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.web.Ids;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whose session it is and in which room of which team: facts that never change, remembered so that a renewal needs no query for
 * its authorization. Bounded; the least recently used are forgotten. Safe for use by any thread.
 */
@ApplicationScoped
public class Places {
    private static final int KEPT = 50_000;
    private static final String FIND = "SELECT s.room_id, r.team, s.participant, r.synthetic FROM room_session s"
            + " JOIN room r ON r.id = s.room_id WHERE s.id = ?";

    private final Map<String, Place> known = new LinkedHashMap<>(256, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Place> eldest) {
            return size() > KEPT;
        }
    };

    @Inject
    private Database database;

    @Inject
    private Rooms rooms;

    /** Where a session belongs. */
    record Place(String session, String room, String team, String participant, boolean synthetic) {}

    /**
     * The session of this path, if the caller may act for it.
     *
     * @throws Refused {@code room-not-found} if the caller does not see the room; {@code session-not-found} if the session is
     *     not in it or is another's; {@code forbidden} to an operator, who sees but does not act
     */
    @Retried
    Place own(Caller caller, String room, String session) throws SQLException {
        Place place = find(session);
        if (place == null || !place.room().equals(room) || !caller.sees(place.team())) {
            rooms.read(caller, room);
            throw notFound();
        }
        return acting(caller, place);
    }

    /** The same for callers that name the session alone. */
    @Retried
    Place own(Caller caller, String session) throws SQLException {
        Place place = find(session);
        if (place == null || !caller.sees(place.team())) {
            throw notFound();
        }
        return acting(caller, place);
    }

    private static Place acting(Caller caller, Place place) {
        if (!caller.actsIn(place.team())) {
            throw new Refused(Refusal.FORBIDDEN, "an operator does not act inside a room; remove the session instead");
        }
        if (!caller.actsFor(place.participant())) {
            throw notFound();
        }
        return place;
    }

    /** True if {@link #find} would answer without a query. */
    boolean isKnown(String session) {
        synchronized (known) {
            return known.containsKey(session);
        }
    }

    @Nullable
    Place find(String session) throws SQLException {
        if (!Ids.isOf('s', session)) {
            return null;
        }
        synchronized (known) {
            Place place = known.get(session);
            if (place != null) {
                return place;
            }
        }
        Place found = query(session);
        if (found != null) {
            synchronized (known) {
                known.put(session, found);
            }
        }
        return found;
    }

    static Refused notFound() {
        return new Refused(Refusal.SESSION_NOT_FOUND, "no session of yours in this room has this id");
    }

    private @Nullable Place query(String session) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(FIND)) {
            query.setString(1, session);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? new Place(session, row.getString(1), row.getString(2), row.getString(3), row.getBoolean(4))
                        : null;
            }
        }
    }
}
