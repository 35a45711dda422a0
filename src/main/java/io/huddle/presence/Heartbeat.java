package io.huddle.presence;

import io.huddle.setting.Setting;
import io.huddle.store.Database;
import io.huddle.store.DatabaseUnavailable;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one row that all sweeps share, and the grace after an outage.
 *
 * <p>If leases ran while nobody could renew them, because the database or every node was down, a sweep must not empty the
 * rosters: the sweep that finds the beat too old gives every lease that had not ended by then a new length, before it
 * writes a new beat. Until then renewals, joins and rosters answer 503 rather than something wrong. Only the transaction
 * that holds the row gives grace, so that it is given once, whichever node recovers first.
 */
@ApplicationScoped
public class Heartbeat {
    private static final int CHUNK = 1_000;
    private static final String TTL =
            "(CASE WHEN state = 'suspended' THEN suspended_lease_seconds ELSE lease_seconds END) * INTERVAL '1' SECOND";
    private static final String LOCK = "SELECT at, graced_at FROM sweep_heartbeat WHERE id = 1 FOR UPDATE SKIP LOCKED";
    private static final String WRITE = "UPDATE sweep_heartbeat SET at = ?, graced_at = ? WHERE id = 1";
    private static final String LIVE = "SELECT id FROM room_session"
            + " WHERE state IN ('present', 'suspect', 'suspended') AND lease_until > ? AND id > ?"
            + " ORDER BY id FETCH FIRST " + CHUNK + " ROWS ONLY FOR UPDATE";
    private static final String LENGTHEN = "UPDATE room_session SET lease_until = GREATEST(lease_until,"
            + " CAST(? AS TIMESTAMP WITH TIME ZONE) + " + TTL + ") WHERE id = ANY (?)";
    private static final String CUT = "UPDATE room_session SET lease_until = LEAST(lease_until,"
            + " CAST(? AS TIMESTAMP WITH TIME ZONE) + " + TTL + ") WHERE id = ANY (?)";

    private final Duration limit = Duration.ofMillis(Setting.OUTAGE_LIMIT_MS.value());

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Event<OutageGraced> graced;

    /**
     * An outage was forgiven.
     *
     * @param silence how long nobody had judged; negative if the clock stepped back
     */
    public record OutageGraced(Duration silence, int sessions) {}

    /**
     * Clock and beat in one statement, in the caller's transaction and after its locks.
     *
     * @throws DatabaseUnavailable while the beat is stale: the answer would be a guess
     */
    Moment current() throws SQLException {
        Moment moment = read();
        if (moment.isStale(limit)) {
            throw new DatabaseUnavailable("leases are not judged until a sweep has run", null);
        }
        return moment;
    }

    Moment read() throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(
                        "SELECT " + clock.now() + ", at, graced_at FROM sweep_heartbeat WHERE id = 1");
                ResultSet row = query.executeQuery()) {
            row.next();
            return new Moment(
                    row.getTimestamp(1).toInstant(),
                    row.getTimestamp(2).toInstant(),
                    row.getTimestamp(3).toInstant());
        }
    }

    Duration limit() {
        return limit;
    }

    /**
     * Takes the row, forgives an outage if there was one, writes the new beat.
     *
     * @return what was written, or null if another node holds the row and sweeps
     */
    @Transactional(rollbackOn = Exception.class)
    @Nullable
    Moment advance() throws SQLException {
        try (Connection connection = database.connection()) {
            Instant[] old = lock(connection);
            if (old == null) {
                return null;
            }
            Moment moment = new Moment(clock.read(), old[0], old[1]);
            boolean stale = moment.isStale(limit);
            Instant forgiven = stale ? forgive(connection, moment) : moment.graced();
            // Lengthening very many leases takes its time, which must not look like the next outage.
            Instant now = stale ? clock.read() : moment.now();
            try (PreparedStatement update = connection.prepareStatement(WRITE)) {
                update.setTimestamp(1, Timestamp.from(now));
                update.setTimestamp(2, Timestamp.from(forgiven));
                update.executeUpdate();
            }
            return new Moment(now, now, forgiven);
        }
    }

    private Instant forgive(Connection connection, Moment moment) throws SQLException {
        int sessions = moment.isAhead()
                ? change(connection, CUT, Instant.EPOCH, moment.now())
                : change(connection, LENGTHEN, moment.beat(), moment.now());
        graced.fire(new OutageGraced(Duration.between(moment.beat(), moment.now()), sessions));
        return moment.now();
    }

    private static Instant @Nullable [] lock(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(LOCK);
                ResultSet row = query.executeQuery()) {
            return row.next()
                    ? new Instant[] {
                        row.getTimestamp(1).toInstant(), row.getTimestamp(2).toInstant()
                    }
                    : null;
        }
    }

    /** In id order and in chunks, so that no statement runs into its timeout however many sessions there are. */
    private static int change(Connection connection, String sql, Instant endedAfter, Instant now) throws SQLException {
        int changed = 0;
        List<String> ids = live(connection, endedAfter, "");
        while (!ids.isEmpty()) {
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                update.setTimestamp(1, Timestamp.from(now));
                update.setArray(2, connection.createArrayOf("VARCHAR", ids.toArray()));
                changed += update.executeUpdate();
            }
            ids = live(connection, endedAfter, ids.get(ids.size() - 1));
        }
        return changed;
    }

    private static List<String> live(Connection connection, Instant endedAfter, String afterId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(LIVE)) {
            query.setTimestamp(1, Timestamp.from(endedAfter));
            query.setString(2, afterId);
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
