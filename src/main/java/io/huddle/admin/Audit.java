package io.huddle.admin;

import io.huddle.security.OperatorActed;
import io.huddle.store.Database;
import io.huddle.web.Ids;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;

/** Writes the audit, in the transaction of the deed: there is no deed without its line and no line without its deed. */
@ApplicationScoped
public class Audit {
    private static final String INSERT = "INSERT INTO audit (id, at, actor, action, reason, room_id, session_id,"
            + " generation, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

    @Inject
    private Database database;

    void record(@Observes OperatorActed acted) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, Ids.make('a'));
            insert.setTimestamp(2, Timestamp.from(acted.at()));
            insert.setString(3, acted.actor());
            insert.setString(4, acted.action());
            insert.setString(5, acted.reason());
            insert.setString(6, acted.room());
            insert.setString(7, acted.session());
            insert.setObject(8, acted.generation());
            insert.setString(9, acted.client());
            insert.executeUpdate();
        }
    }
}
