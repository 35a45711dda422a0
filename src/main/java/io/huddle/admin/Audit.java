package io.huddle.admin;

import io.huddle.security.OperatorActed;
import io.huddle.store.Database;
import io.huddle.web.Ids;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;

/**
 * Writes the audit, in the transaction of the deed: there is no deed without its line and no line without its deed.
 *
 * <p>A look at a roster is noted once for each operator, room and quarter of an hour: a page that follows a room would
 * otherwise drown everything else.
 */
@ApplicationScoped
public class Audit {
    private static final Duration LOOK = Duration.ofMinutes(15);
    private static final String INSERT = "INSERT INTO audit (id, at, actor, action, reason, room_id, session_id,"
            + " generation, client, target) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    /** In: room, since when, actor. */
    private static final String LOOKED =
            "SELECT id FROM audit WHERE room_id = ? AND at > ? AND actor = ? AND action = '" + OperatorActed.READ_ROSTER
                    + "' FETCH FIRST 1 ROW ONLY";

    @Inject
    private Database database;

    void record(@Observes OperatorActed acted) throws SQLException {
        try (Connection connection = database.connection()) {
            if (!acted.action().equals(OperatorActed.READ_ROSTER) || !isKnown(connection, acted)) {
                insert(connection, acted);
            }
        }
    }

    private static boolean isKnown(Connection connection, OperatorActed look) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(LOOKED)) {
            query.setString(1, look.room());
            query.setTimestamp(2, Timestamp.from(look.at().minus(LOOK)));
            query.setString(3, look.actor());
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private static void insert(Connection connection, OperatorActed acted) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, Ids.make('a'));
            insert.setTimestamp(2, Timestamp.from(acted.at()));
            insert.setString(3, acted.actor());
            insert.setString(4, acted.action());
            insert.setString(5, acted.reason());
            insert.setString(6, acted.room());
            insert.setString(7, acted.session());
            insert.setObject(8, acted.generation());
            insert.setString(9, acted.client());
            insert.setString(10, acted.target());
            insert.executeUpdate();
        }
    }
}
