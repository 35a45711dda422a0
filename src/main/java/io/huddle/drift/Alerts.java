package io.huddle.drift;

import io.huddle.store.Database;
import io.huddle.web.Cursor;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The alerts as they are read: open ones and their history. Safe for use by any thread. */
@ApplicationScoped
public class Alerts {
    private static final String LIST = "SELECT " + AlertRows.COLUMNS + " FROM alert WHERE 1 = 1";
    private static final String BEHIND = " AND (opened_at < ? OR (opened_at = ? AND id < ?))";
    private static final String ORDER = " ORDER BY opened_at DESC, id DESC FETCH FIRST ? ROWS ONLY";

    @Inject
    private Database database;

    /**
     * At most {@code limit} alerts, newest first, behind the cursor.
     *
     * @param isOpen whether to list the open or the closed ones; null means both
     */
    public List<AlertJson> list(@Nullable Boolean isOpen, @Nullable Cursor cursor, int limit) throws SQLException {
        String state = isOpen == null ? "" : isOpen ? " AND open_room IS NOT NULL" : " AND open_room IS NULL";
        String sql = LIST + state + (cursor == null ? "" : BEHIND) + ORDER;
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(sql)) {
            int next = 1;
            if (cursor != null) {
                query.setTimestamp(next++, Timestamp.from(cursor.at()));
                query.setTimestamp(next++, Timestamp.from(cursor.at()));
                query.setString(next++, cursor.id());
            }
            query.setInt(next, limit);
            List<AlertJson> alerts = new ArrayList<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    alerts.add(AlertRows.read(row));
                }
            }
            return alerts;
        }
    }
}
