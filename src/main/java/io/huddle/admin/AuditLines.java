package io.huddle.admin;

import io.huddle.store.Database;
import io.huddle.store.Dialect;
import io.huddle.store.Retried;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;

/** The lines of the audit past their retention. Nothing else ends or changes one. Safe for use by any thread. */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class AuditLines {
    /** What PostgreSQL's trigger on the table asks for; it lasts as long as the transaction. */
    private static final String ALLOW = "SET LOCAL huddle.audit_retention = 'on'";

    private static final String TRIM = "DELETE FROM audit WHERE id IN"
            + " (SELECT id FROM audit WHERE at < ? ORDER BY at, id FETCH FIRST ? ROWS ONLY)";

    @Inject
    private Database database;

    /** Deletes at most {@code limit} lines older than the instant; answers how many. */
    @Retried
    public int trim(Instant before, int limit) throws SQLException {
        try (Connection connection = database.connection()) {
            if (database.dialect() == Dialect.POSTGRESQL) {
                try (Statement allow = connection.createStatement()) {
                    allow.execute(ALLOW);
                }
            }
            try (PreparedStatement delete = connection.prepareStatement(TRIM)) {
                delete.setTimestamp(1, Timestamp.from(before));
                delete.setInt(2, limit);
                return delete.executeUpdate();
            }
        }
    }
}
