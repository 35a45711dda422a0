package io.huddle.presence;

import io.huddle.store.Database;
import io.huddle.store.Retried;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Closed rooms past their retention, and all that belongs to them. Safe for use by any thread. */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Tombstones {
    private static final int A_TRANSACTION = 20;
    private static final String OLD = "SELECT id FROM room WHERE state = 'closed' AND closed_at < ? ORDER BY id"
            + " FETCH FIRST " + A_TRANSACTION + " ROWS ONLY FOR UPDATE SKIP LOCKED";
    private static final List<String> DELETES = List.of(
            "DELETE FROM session_join WHERE session_id IN (SELECT id FROM room_session WHERE room_id = ANY (?))",
            "DELETE FROM room_session WHERE room_id = ANY (?)",
            "DELETE FROM room_event WHERE room_id = ANY (?)",
            "DELETE FROM room_observation WHERE room_id = ANY (?)",
            "DELETE FROM shadow_mismatch WHERE room_id = ANY (?)",
            "DELETE FROM room WHERE id = ANY (?)");

    @Inject
    private Database database;

    /** Deletes some rooms that were closed before the instant; answers how many, 0 when none is left. */
    @Retried
    public int remove(Instant closedBefore) throws SQLException {
        try (Connection connection = database.connection()) {
            List<String> rooms = old(connection, closedBefore);
            if (!rooms.isEmpty()) {
                for (String delete : DELETES) {
                    try (PreparedStatement statement = connection.prepareStatement(delete)) {
                        statement.setArray(1, connection.createArrayOf("VARCHAR", rooms.toArray()));
                        statement.executeUpdate();
                    }
                }
            }
            return rooms.size();
        }
    }

    private static List<String> old(Connection connection, Instant closedBefore) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(OLD)) {
            query.setTimestamp(1, Timestamp.from(closedBefore));
            List<String> ids = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getString(1));
                }
            }
            return ids;
        }
    }
}
