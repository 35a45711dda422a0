package io.huddle.admin;

import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Cursor;
import io.huddle.web.Ids;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds rooms among all that are kept, for operators. Safe for use by any thread.
 *
 * <p>Four statements a page, whatever its size: the rooms, their sessions counted, their last events, their drift. The first walks an
 * index newest first; words are looked for in what it passes, an id is looked up.
 */
@ApplicationScoped
public class RoomSearch {
    private static final String ROOMS = "SELECT r.id, r.team, r.occurrence, r.label, r.state, r.critical, r.synthetic,"
            + " r.created_at, r.closing_at, r.closed_at, r.seq FROM room r";
    private static final String NEWEST_FIRST = " ORDER BY r.created_at DESC, r.id DESC FETCH FIRST ? ROWS ONLY";
    private static final String COUNTS = "SELECT room_id, state, count(*) AS sessions, min(proven_at) AS oldest"
            + " FROM room_session WHERE room_id = ANY (?) AND state IN ('present', 'suspect', 'suspended')"
            + " GROUP BY room_id, state";
    private static final String DRIFT = "SELECT room_id, kind FROM drifting_room WHERE room_id = ANY (?) ORDER BY kind";
    private static final String LAST_EVENTS = "SELECT e.room_id, e.id, e.type, e.at FROM room r"
            + " JOIN room_event e ON e.room_id = r.id AND e.seq = r.seq WHERE r.id = ANY (?)";

    /** Stands for whatever kind of drift. */
    static final String ANY_DRIFT = "any";

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    /**
     * What to look for; null where anything will do.
     *
     * @param text an id of a room, a session or an event, or a part of an id, team, occurrence or label
     * @param drift a kind of drift, or {@link #ANY_DRIFT}
     * @param age only rooms that are at least so old
     */
    record Wanted(
            @Nullable String text,
            @Nullable String state,
            @Nullable String team,
            @Nullable String drift,
            @Nullable Boolean synthetic,
            @Nullable Duration age) {}

    /** What the event was and when. */
    public record LastEvent(String id, String type, Instant at) {}

    /**
     * A room as it is listed.
     *
     * @param present sessions in this state, also where the lease has run out and no sweep has been there
     * @param oldestUnrenewedSeconds how long ago the session that was heard least recently was heard
     * @param drift the kinds of drift that the newest judged window found
     */
    public record FoundRoom(
            String id,
            String team,
            String occurrence,
            @Nullable String label,
            String state,
            boolean critical,
            boolean synthetic,
            Instant createdAt,
            @Nullable Instant closingAt,
            @Nullable Instant closedAt,
            long seq,
            long present,
            long suspect,
            long suspended,
            @Nullable Long oldestUnrenewedSeconds,
            List<String> drift,
            @Nullable LastEvent lastEvent) {}

    /** What was found, newest first, and the database's clock. */
    record Found(List<FoundRoom> rooms, Instant asOf) {}

    /** At most {@code limit} rooms behind the cursor. */
    @Retried
    Found find(Wanted wanted, @Nullable Cursor cursor, int limit) throws SQLException {
        // Before the connection is taken: a request that holds two could wait for others that do.
        Instant now = clock.read();
        try (Connection connection = database.connection()) {
            Map<String, Row> rows = rooms(connection, where(wanted, now).behind(cursor, "r.created_at", "r.id"), limit);
            if (!rows.isEmpty()) {
                Array ids = connection.createArrayOf("VARCHAR", rows.keySet().toArray());
                count(connection, ids, rows);
                lastEvents(connection, ids, rows);
                drift(connection, ids, rows);
                ids.free();
            }
            return new Found(rows.values().stream().map(row -> row.found(now)).toList(), now);
        }
    }

    private static Where where(Wanted wanted, Instant now) {
        Where where = new Where()
                .andIf(wanted.state(), "r.state = ?")
                .andIf(wanted.team(), "r.team = ?")
                .andIf(
                        ANY_DRIFT.equals(wanted.drift()) ? null : wanted.drift(),
                        "r.id IN (SELECT d.room_id FROM drifting_room d WHERE d.kind = ?)")
                .andIf(wanted.synthetic(), "r.synthetic = ?")
                .andIf(wanted.age() == null ? null : now.minus(wanted.age()), "r.created_at <= ?");
        if (ANY_DRIFT.equals(wanted.drift())) {
            where.and("r.id IN (SELECT d.room_id FROM drifting_room d)");
        }
        String text = wanted.text();
        if (text == null) {
            return where;
        }
        if (Ids.isOf('r', text)) {
            return where.and("r.id = ?", text);
        }
        if (Ids.isOf('s', text)) {
            return where.and("r.id = (SELECT s.room_id FROM room_session s WHERE s.id = ?)", text);
        }
        if (Ids.isOf('e', text)) {
            return where.and("r.id = (SELECT e.room_id FROM room_event e WHERE e.id = ?)", text);
        }
        return where.contains(text, "r.id", "r.team", "r.occurrence", "r.label");
    }

    private static Map<String, Row> rooms(Connection connection, Where where, int limit) throws SQLException {
        Map<String, Row> found = new LinkedHashMap<>();
        try (PreparedStatement query = connection.prepareStatement(ROOMS + where.sql() + NEWEST_FIRST)) {
            where.bind(query, limit);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    found.put(row.getString("id"), new Row(row));
                }
            }
        }
        return found;
    }

    private static void count(Connection connection, Array ids, Map<String, Row> rows) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(COUNTS)) {
            query.setArray(1, ids);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Row counted = rows.get(row.getString("room_id"));
                    if (counted != null) {
                        counted.count(row.getString("state"), row.getLong("sessions"), Columns.instant(row, "oldest"));
                    }
                }
            }
        }
    }

    private static void lastEvents(Connection connection, Array ids, Map<String, Row> rows) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(LAST_EVENTS)) {
            query.setArray(1, ids);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Row told = rows.get(row.getString("room_id"));
                    if (told != null) {
                        told.last =
                                new LastEvent(row.getString("id"), row.getString("type"), Columns.instant(row, "at"));
                    }
                }
            }
        }
    }

    private static void drift(Connection connection, Array ids, Map<String, Row> rows) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(DRIFT)) {
            query.setArray(1, ids);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Row drifting = rows.get(row.getString("room_id"));
                    if (drifting != null) {
                        drifting.drift.add(row.getString("kind"));
                    }
                }
            }
        }
    }

    /** One room while its parts are put together. */
    private static final class Row {
        private final String id;
        private final String team;
        private final String occurrence;
        private final @Nullable String label;
        private final String state;
        private final boolean critical;
        private final boolean synthetic;
        private final Instant createdAt;
        private final @Nullable Instant closingAt;
        private final @Nullable Instant closedAt;
        private final long seq;
        private final Map<String, Long> sessions = new LinkedHashMap<>();
        private final List<Instant> proven = new ArrayList<>();
        private final List<String> drift = new ArrayList<>();
        private @Nullable LastEvent last;

        Row(ResultSet row) throws SQLException {
            id = row.getString("id");
            team = row.getString("team");
            occurrence = row.getString("occurrence");
            label = row.getString("label");
            state = row.getString("state");
            critical = row.getBoolean("critical");
            synthetic = row.getBoolean("synthetic");
            createdAt = Columns.instant(row, "created_at");
            closingAt = Columns.optionalInstant(row, "closing_at");
            closedAt = Columns.optionalInstant(row, "closed_at");
            seq = row.getLong("seq");
        }

        void count(String sessionState, long count, Instant oldest) {
            sessions.put(sessionState, count);
            proven.add(oldest);
        }

        FoundRoom found(Instant now) {
            Long oldest = proven.stream()
                    .min(Instant::compareTo)
                    .map(least -> Math.max(0, Duration.between(least, now).toSeconds()))
                    .orElse(null);
            return new FoundRoom(
                    id,
                    team,
                    occurrence,
                    label,
                    state,
                    critical,
                    synthetic,
                    createdAt,
                    closingAt,
                    closedAt,
                    seq,
                    sessions.getOrDefault("present", 0L),
                    sessions.getOrDefault("suspect", 0L),
                    sessions.getOrDefault("suspended", 0L),
                    oldest,
                    List.copyOf(drift),
                    last);
        }
    }
}
