package io.huddle.admin;

import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How everything stands, in a few figures: what a page asks for every few seconds to learn whether anything has changed.
 * Counted at most twice a second on a node, however many pages ask. Safe for use by any thread.
 *
 * <p>Synthetic rooms are left out.
 */
@ApplicationScoped
public class Overview {
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SILENCE_STEP_SECONDS = 10;
    private static final long LAG_STEP_SECONDS = 2;
    private static final String ROOMS = "SELECT state, count(*) FROM room WHERE synthetic = FALSE GROUP BY state";
    private static final String SESSIONS = "SELECT s.state, count(*), min(s.proven_at) FROM room_session s"
            + " JOIN room r ON r.id = s.room_id AND r.synthetic = FALSE"
            + " WHERE s.state IN ('present', 'suspect', 'suspended') GROUP BY s.state";
    private static final String LAST_EVENT = "SELECT id FROM room_event ORDER BY at DESC FETCH FIRST 1 ROW ONLY";
    private static final String LAST_DEED = "SELECT id FROM audit ORDER BY at DESC, id DESC FETCH FIRST 1 ROW ONLY";
    private static final String ALERTS =
            "SELECT severity, count(*) FROM alert WHERE open_room IS NOT NULL GROUP BY severity";
    private static final String DRIFTING = "SELECT count(DISTINCT room_id) FROM drifting_room";

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    private @Nullable Counted latest;

    /** Rooms that are kept. */
    public record RoomCounts(long open, long closing, long closed) {}

    /** Alerts that are open, by what is asked of whoever is on call. */
    public record AlertCounts(long investigate, long page) {}

    /** Sessions that are not absent. */
    public record SessionCounts(long present, long suspect, long suspended) {}

    /**
     * The figures at one instant of the database's clock.
     *
     * @param sweptAt up to when leases have been judged
     * @param driftingRooms by the newest window that was judged
     * @param oldestUnrenewedSeconds how long ago the session that was heard least recently was heard
     * @param lastEvent the id of the latest event of any room: another one tells that something has happened
     * @param lastDeed the same of the audit
     */
    public record OverviewJson(
            Instant asOf,
            Instant sweptAt,
            RoomCounts rooms,
            SessionCounts sessions,
            AlertCounts alerts,
            long driftingRooms,
            @Nullable Long oldestUnrenewedSeconds,
            @Nullable String lastEvent,
            @Nullable String lastDeed) {
        /** The validator: what has changed, which the mere passing of a few seconds has not. */
        String etag() {
            long silence = oldestUnrenewedSeconds == null ? -1 : oldestUnrenewedSeconds / SILENCE_STEP_SECONDS;
            long lag = Duration.between(sweptAt, asOf).toSeconds() / LAG_STEP_SECONDS;
            return Integer.toHexString(Objects.hash(rooms, sessions, alerts, driftingRooms, silence, lag)) + "-"
                    + lastEvent + "-" + lastDeed;
        }
    }

    private record Counted(OverviewJson json, long nanos) {}

    /** The figures, no older than half a second. */
    @Retried
    OverviewJson read() throws SQLException {
        Counted known = known();
        if (known != null && System.nanoTime() - known.nanos() < FRESH_NANOS) {
            return known.json();
        }
        long started = System.nanoTime();
        OverviewJson counted = count();
        keep(new Counted(counted, started));
        return counted;
    }

    private synchronized @Nullable Counted known() {
        return latest;
    }

    private synchronized void keep(Counted counted) {
        latest = counted;
    }

    private OverviewJson count() throws SQLException {
        try (Connection connection = database.connection()) {
            Map<String, Long> rooms = new TreeMap<>();
            Map<String, Long> sessions = new TreeMap<>();
            each(connection, ROOMS, row -> rooms.put(row.getString(1), row.getLong(2)));
            Instant[] oldest = new Instant[1];
            each(connection, SESSIONS, row -> {
                sessions.put(row.getString(1), row.getLong(2));
                Instant proven = row.getTimestamp(3).toInstant();
                oldest[0] = oldest[0] == null || proven.isBefore(oldest[0]) ? proven : oldest[0];
            });
            Map<String, Long> alerts = new TreeMap<>();
            each(connection, ALERTS, row -> alerts.put(row.getString(1), row.getLong(2)));
            long[] drifting = new long[1];
            each(connection, DRIFTING, row -> drifting[0] = row.getLong(1));
            Instant[] times = new Instant[2];
            each(connection, "SELECT at, " + clock.now() + " FROM sweep_heartbeat WHERE id = 1", row -> {
                times[0] = row.getTimestamp(1).toInstant();
                times[1] = row.getTimestamp(2).toInstant();
            });
            Instant swept = times[0];
            Instant now = times[1];
            return new OverviewJson(
                    now,
                    swept,
                    new RoomCounts(count(rooms, "open"), count(rooms, "closing"), count(rooms, "closed")),
                    new SessionCounts(
                            count(sessions, "present"), count(sessions, "suspect"), count(sessions, "suspended")),
                    new AlertCounts(count(alerts, "investigate"), count(alerts, "page")),
                    drifting[0],
                    oldest[0] == null
                            ? null
                            : Math.max(0, Duration.between(oldest[0], now).toSeconds()),
                    id(connection, LAST_EVENT),
                    id(connection, LAST_DEED));
        }
    }

    private static long count(Map<String, Long> counts, String state) {
        return counts.getOrDefault(state, 0L);
    }

    private static @Nullable String id(Connection connection, String sql) throws SQLException {
        String[] id = new String[1];
        each(connection, sql, row -> id[0] = row.getString(1));
        return id[0];
    }

    /** What is done with a row. */
    @FunctionalInterface
    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private static void each(Connection connection, String sql, RowReader reader) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                reader.read(row);
            }
        }
    }
}
