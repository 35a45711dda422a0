package io.huddle.shadow;

import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.web.Cursor;
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
import org.jspecify.annotations.Nullable;

/** The mismatches that were found, to be listed and summed. Safe for use by any thread. */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Mismatches {
    private static final String COLUMNS =
            "SELECT id, room_id, team, session_id, participant, kind, began_at, ended_at FROM shadow_mismatch WHERE 1 = 1";
    private static final String SUMS =
            "SELECT kind, count(*), sum(CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END) FROM shadow_mismatch WHERE 1 = 1";

    @Inject
    private Database database;

    /**
     * A mismatch that was found.
     *
     * @param session null where the participant had never joined
     * @param until null while it lasts
     */
    public record Mismatch(
            String id,
            String room,
            String team,
            @Nullable String session,
            String participant,
            String kind,
            Instant since,
            @Nullable Instant until) {}

    /**
     * How many there are of a kind.
     *
     * @param open how many of them last
     */
    public record Sum(String kind, long total, long open) {}

    /**
     * What to look for; null means any.
     *
     * @param open true for those that last, false for those that are over
     */
    public record Filter(
            @Nullable MismatchKind kind,
            @Nullable String team,
            @Nullable Boolean open) {
        private String condition() {
            return (kind == null ? "" : " AND kind = ?")
                    + (team == null ? "" : " AND team = ?")
                    + (open == null ? "" : open ? " AND ended_at IS NULL" : " AND ended_at IS NOT NULL");
        }

        /** Answers the next parameter's number. */
        private int set(PreparedStatement query) throws SQLException {
            int next = 1;
            if (kind != null) {
                query.setString(next++, kind.wire());
            }
            if (team != null) {
                query.setString(next++, team);
            }
            return next;
        }
    }

    /** At most {@code limit} of them, the newest first, behind the cursor. */
    @Retried
    public List<Mismatch> list(Filter filter, @Nullable Cursor cursor, int limit) throws SQLException {
        String sql = COLUMNS + filter.condition()
                + (cursor == null ? "" : " AND (began_at < ? OR (began_at = ? AND id < ?))")
                + " ORDER BY began_at DESC, id DESC FETCH FIRST ? ROWS ONLY";
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(sql)) {
            int next = filter.set(query);
            if (cursor != null) {
                query.setTimestamp(next++, Timestamp.from(cursor.at()));
                query.setTimestamp(next++, Timestamp.from(cursor.at()));
                query.setString(next++, cursor.id());
            }
            query.setInt(next, limit);
            List<Mismatch> found = new ArrayList<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Timestamp ended = row.getTimestamp(8);
                    found.add(new Mismatch(
                            row.getString(1),
                            row.getString(2),
                            row.getString(3),
                            row.getString(4),
                            row.getString(5),
                            row.getString(6),
                            row.getTimestamp(7).toInstant(),
                            ended == null ? null : ended.toInstant()));
                }
            }
            return found;
        }
    }

    /** How many there are of each kind, in the order of the kinds' names. */
    @Retried
    public List<Sum> sums(Filter filter) throws SQLException {
        String sql = SUMS + filter.condition() + " GROUP BY kind ORDER BY kind";
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(sql)) {
            filter.set(query);
            List<Sum> sums = new ArrayList<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    sums.add(new Sum(row.getString(1), row.getLong(2), row.getLong(3)));
                }
            }
            return sums;
        }
    }
}
