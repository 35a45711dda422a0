package io.huddle.drift;

import io.huddle.drift.RoomPicture.Sighting;
import io.huddle.presence.Drifting;
import io.huddle.store.Database;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Tells by the newest window whether a session drifts: its room has leases without media, and the latest that is said of its
 * own audio, by itself or by a source, is that it does not flow. Safe for use by any thread; takes part in its caller's
 * transaction.
 */
@ApplicationScoped
public class DriftingSessions implements Drifting {
    private static final String SAID = "SELECT " + Survey.REPORT + ", o.media, o.observed_at"
            + " FROM room_session s JOIN drifting_room d ON d.room_id = s.room_id AND d.kind = ?"
            + " LEFT JOIN room_observation o ON o.room_id = s.room_id AND o.participant = s.participant"
            + " WHERE s.id = ? AND s.generation = ? ORDER BY o.observed_at DESC FETCH FIRST 1 ROWS ONLY";

    @Inject
    private Database database;

    @Override
    public boolean isDrifting(String session, long generation) throws SQLException {
        try (Connection connection = database.connection()) {
            return isDrifting(connection, session, generation);
        }
    }

    static boolean isDrifting(Connection connection, String session, long generation) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(SAID)) {
            query.setString(1, DriftKind.LEASES_WITHOUT_MEDIA.wire());
            query.setString(2, session);
            query.setLong(3, generation);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    return false;
                }
                Sighting latest = DriftRules.latest(Survey.report(row, 1), Survey.seen(row, 4));
                return latest != null && !latest.flowing();
            }
        }
    }
}
