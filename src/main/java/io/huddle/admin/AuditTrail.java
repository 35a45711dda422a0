package io.huddle.admin;

import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.web.Cursor;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the audit, newest first. Safe for use by any thread. */
@ApplicationScoped
public class AuditTrail {
    private static final String LINES =
            "SELECT id, at, actor, action, reason, room_id, session_id, generation, client, target FROM audit";
    private static final String NEWEST_FIRST = " ORDER BY at DESC, id DESC FETCH FIRST ? ROWS ONLY";

    @Inject
    private Database database;

    /**
     * What to look for; null where anything will do.
     *
     * @param text a part of the reason or of what the deed was about
     */
    record Wanted(
            @Nullable String text,
            @Nullable String actor,
            @Nullable String action,
            @Nullable String room,
            @Nullable String session) {}

    /**
     * A line of the audit.
     *
     * @param reason the operator's words; null for looking at a roster
     * @param client what it was about, as are room, session and target
     */
    public record AuditLine(
            String id,
            Instant at,
            String actor,
            String action,
            @Nullable String reason,
            @Nullable String room,
            @Nullable String session,
            @Nullable Long generation,
            @Nullable String client,
            @Nullable String target) {}

    /** At most {@code limit} lines behind the cursor. */
    @Retried
    List<AuditLine> find(Wanted wanted, @Nullable Cursor cursor, int limit) throws SQLException {
        Where where = new Where()
                .andIf(wanted.actor(), "actor = ?")
                .andIf(wanted.action(), "action = ?")
                .andIf(wanted.room(), "room_id = ?")
                .andIf(wanted.session(), "session_id = ?");
        String text = wanted.text();
        if (text != null) {
            where.contains(text, "reason", "room_id", "session_id", "client", "target");
        }
        where.behind(cursor, "at", "id");
        List<AuditLine> lines = new ArrayList<>();
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(LINES + where.sql() + NEWEST_FIRST)) {
            where.bind(query, limit);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    lines.add(line(row));
                }
            }
        }
        return lines;
    }

    private static AuditLine line(ResultSet row) throws SQLException {
        return new AuditLine(
                row.getString("id"),
                Columns.instant(row, "at"),
                row.getString("actor"),
                row.getString("action"),
                row.getString("reason"),
                row.getString("room_id"),
                row.getString("session_id"),
                Columns.number(row, "generation"),
                row.getString("client"),
                row.getString("target"));
    }
}
