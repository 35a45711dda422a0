package io.huddle.drift;

import io.huddle.presence.Drifting;
import io.huddle.store.Database;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Tells by the newest window whether a session drifts: its room has leases without media, and its own report or an
 * observation says that its audio does not flow. Safe for use by any thread; takes part in its caller's transaction.
 */
@ApplicationScoped
public class DriftingSessions implements Drifting {
    private static final String DRIFTS = "SELECT 1 FROM room_session s"
            + " JOIN drifting_room d ON d.room_id = s.room_id AND d.kind = ?"
            + " WHERE s.id = ? AND s.generation = ? AND (NOT s.media_flowing OR EXISTS (SELECT 1 FROM room_observation o"
            + " WHERE o.room_id = s.room_id AND o.participant = s.participant AND o.media <> 'flowing'))";

    @Inject
    private Database database;

    @Override
    public boolean isDrifting(String session, long generation) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(DRIFTS)) {
            query.setString(1, DriftKind.LEASES_WITHOUT_MEDIA.wire());
            query.setString(2, session);
            query.setLong(3, generation);
            try (ResultSet found = query.executeQuery()) {
                return found.next();
            }
        }
    }
}
