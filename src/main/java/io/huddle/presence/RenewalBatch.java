package io.huddle.presence;

import io.huddle.store.Database;
import io.huddle.store.Dialect;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes many plain renewals in one transaction. Safe for use by any thread.
 *
 * <p>Sound in two statements: the first locks the rows, in id order and without waiting; the second judges and writes by
 * the clock of its own moment, which is after the locks. A single statement is not enough, since PostgreSQL does not judge
 * a row again when its holder only locked it. Rows that are busy or not plainly renewable are simply not answered, and
 * the caller sends them on to the slow path. Never touches a room.
 */
@ApplicationScoped
public class RenewalBatch {
    /** In: ids. Out: the rows that are now ours, with the proof of life before this one. */
    private static final String LOCK = "SELECT id, generation, state, room_open, counter, lease_until, proven_at,"
            + " heartbeat_seconds, lease_seconds FROM room_session WHERE id = ANY (?) ORDER BY id"
            + " FOR UPDATE SKIP LOCKED";

    /**
     * In: ids, generations and counters of locked rows, the outage limit in seconds. Out: what was renewed, pair by pair.
     * State, generation and counter were judged when the row was locked and cannot have changed since; what is left to
     * judge is what moves by itself, the clock and the beat. Fewer conditions also leave the planner no other way than the
     * primary key.
     */
    private static final String RENEW_POSTGRESQL = """
            WITH moment AS MATERIALIZED (SELECT %s AS now, at AS beat FROM sweep_heartbeat WHERE id = 1)
            UPDATE room_session s
            SET lease_until = greatest(s.lease_until, m.now + s.lease_seconds * INTERVAL '1' SECOND),
                proven_at = m.now,
                counter = greatest(s.counter, w.counter)
            FROM unnest(?::varchar[], ?::bigint[], ?::bigint[]) AS w (id, generation, counter), moment m
            WHERE s.id = w.id AND s.generation = w.generation AND s.lease_until > m.now
              AND m.beat >= m.now - ? * INTERVAL '1' SECOND AND m.beat <= m.now + INTERVAL '1' SECOND
            RETURNING s.id, s.generation, s.lease_until, m.now
            """;

    private static final String RENEW_H2 =
            "UPDATE room_session SET lease_until = ?, proven_at = ?, counter = ? WHERE id = ?";

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Heartbeat heartbeat;

    private String renew = "";

    /** One session and generation; equal pairs share a row, whoever asks. */
    record Pair(String session, long generation) {}

    /** @param lateness how long after the heartbeat interval the renewal came; never negative */
    record Renewed(Instant leaseUntil, Instant now, Duration lateness) {}

    private record Row(
            String id,
            long generation,
            boolean renewable,
            long counter,
            Instant leaseUntil,
            Instant provenAt,
            Duration heartbeat,
            Duration lease) {
        boolean isPlain(long wanted, long sent) {
            return renewable && generation == wanted && (sent == Seat.NO_COUNTER || sent >= counter);
        }

        Duration lateness(Instant now) {
            Duration late = Duration.between(provenAt, now).minus(heartbeat);
            return late.isNegative() ? Duration.ZERO : late;
        }
    }

    @PostConstruct
    void prepare() {
        renew = RENEW_POSTGRESQL.formatted(clock.now());
    }

    /**
     * Renews what is plainly renewable.
     *
     * @param wanted the highest counter that was sent for each pair, {@link Seat#NO_COUNTER} without one
     * @return an answer for each renewed pair, and none for the others; it holds once this method has returned, since that
     *     is after the commit
     */
    @Retried
    @Transactional(rollbackOn = Exception.class)
    public Map<Pair, Renewed> write(Map<Pair, Long> wanted) throws SQLException {
        try (Connection connection = database.connection()) {
            Map<String, Row> rows = lock(connection, wanted);
            Map<Pair, Long> ours = new HashMap<>();
            wanted.forEach((pair, counter) -> {
                Row row = rows.get(pair.session());
                if (row != null && row.isPlain(pair.generation(), counter)) {
                    ours.put(pair, counter);
                }
            });
            if (ours.isEmpty()) {
                return Map.of();
            }
            return database.dialect() == Dialect.POSTGRESQL
                    ? renewByArrays(connection, ours, rows)
                    : renewByBatch(connection, ours, rows);
        }
    }

    private static Map<String, Row> lock(Connection connection, Map<Pair, Long> wanted) throws SQLException {
        Object[] ids = wanted.keySet().stream().map(Pair::session).distinct().toArray();
        try (PreparedStatement query = connection.prepareStatement(LOCK)) {
            query.setArray(1, connection.createArrayOf("VARCHAR", ids));
            Map<String, Row> rows = new HashMap<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Row locked = row(row);
                    rows.put(locked.id(), locked);
                }
            }
            return rows;
        }
    }

    private static Row row(ResultSet row) throws SQLException {
        return new Row(
                row.getString(1),
                row.getLong(2),
                row.getString(3).equals(SessionState.PRESENT.wire()) && row.getBoolean(4),
                row.getLong(5),
                instant(row, 6),
                instant(row, 7),
                Duration.ofSeconds(row.getInt(8)),
                Duration.ofSeconds(row.getInt(9)));
    }

    /** In the form that the driver reads without a calendar. */
    private static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private Map<Pair, Renewed> renewByArrays(Connection connection, Map<Pair, Long> ours, Map<String, Row> rows)
            throws SQLException {
        int size = ours.size();
        String[] ids = new String[size];
        Long[] generations = new Long[size];
        Long[] counters = new Long[size];
        int i = 0;
        for (Map.Entry<Pair, Long> one : ours.entrySet()) {
            ids[i] = one.getKey().session();
            generations[i] = one.getKey().generation();
            counters[i] = one.getValue();
            i++;
        }
        try (PreparedStatement update = connection.prepareStatement(renew)) {
            update.setArray(1, connection.createArrayOf("varchar", ids));
            update.setArray(2, connection.createArrayOf("bigint", generations));
            update.setArray(3, connection.createArrayOf("bigint", counters));
            update.setDouble(4, heartbeat.limit().toMillis() / 1_000.0);
            Map<Pair, Renewed> renewed = new HashMap<>();
            try (ResultSet row = update.executeQuery()) {
                while (row.next()) {
                    String id = row.getString(1);
                    Instant now = instant(row, 4);
                    renewed.put(
                            new Pair(id, row.getLong(2)),
                            new Renewed(
                                    instant(row, 3),
                                    now,
                                    java.util.Objects.requireNonNull(rows.get(id))
                                            .lateness(now)));
                }
            }
            return renewed;
        }
    }

    /** H2 has no UPDATE over arrays: the same judgement in Java, by the clock after the locks, and one JDBC batch. */
    private Map<Pair, Renewed> renewByBatch(Connection connection, Map<Pair, Long> ours, Map<String, Row> rows)
            throws SQLException {
        Moment moment = heartbeat.read();
        if (moment.isStale(heartbeat.limit())) {
            return Map.of();
        }
        Instant now = moment.now();
        Map<Pair, Renewed> renewed = new HashMap<>();
        try (PreparedStatement update = connection.prepareStatement(RENEW_H2)) {
            for (Map.Entry<Pair, Long> one : ours.entrySet()) {
                Row row = java.util.Objects.requireNonNull(rows.get(one.getKey().session()));
                if (!row.leaseUntil().isAfter(now)) {
                    continue;
                }
                Instant fresh = now.plus(row.lease());
                Instant until = row.leaseUntil().isAfter(fresh) ? row.leaseUntil() : fresh;
                update.setTimestamp(1, Timestamp.from(until));
                update.setTimestamp(2, Timestamp.from(now));
                update.setLong(3, Math.max(row.counter(), one.getValue()));
                update.setString(4, row.id());
                update.addBatch();
                renewed.put(one.getKey(), new Renewed(until, now, row.lateness(now)));
            }
            if (!renewed.isEmpty()) {
                update.executeBatch();
            }
        }
        return renewed;
    }
}
