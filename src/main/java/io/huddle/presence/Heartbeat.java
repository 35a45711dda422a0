package io.huddle.presence;

import io.huddle.rollout.Stage;
import io.huddle.rollout.StageChanged;
import io.huddle.rollout.Stages;
import io.huddle.setting.Setting;
import io.huddle.store.Database;
import io.huddle.store.DatabaseUnavailable;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
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
            + " WHERE state IN ('present', 'suspect', 'suspended') AND lease_until > ? AND id > ?";
    private static final String IN_ORDER = " ORDER BY id FETCH FIRST " + CHUNK + " ROWS ONLY FOR UPDATE";
    private static final String LENGTHEN = "UPDATE room_session SET lease_until = GREATEST(lease_until,"
            + " CAST(? AS TIMESTAMP WITH TIME ZONE) + " + TTL + ") WHERE id = ANY (?)";
    private static final String CUT = "UPDATE room_session SET lease_until = LEAST(lease_until,"
            + " CAST(? AS TIMESTAMP WITH TIME ZONE) + " + TTL + ") WHERE id = ANY (?)";

    /** Rooms of a team; rooms of the teams without a stage of their own. Closed ones have no live session. */
    private static final String OF_TEAM = " AND room_id IN (SELECT id FROM room WHERE team = ? AND state <> 'closed')";

    private static final String OF_OTHER_TEAMS = " AND room_id IN (SELECT r.id FROM room r WHERE r.state <> 'closed'"
            + " AND NOT EXISTS (SELECT 1 FROM rollout_stage g WHERE g.scope = 'team:' || r.team))";

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
        return checked(read());
    }

    /**
     * The same with the stage of a team, all of one statement.
     *
     * @throws DatabaseUnavailable while the beat is stale: the answer would be a guess
     */
    Basis current(String team) throws SQLException {
        Basis basis = read(team);
        checked(basis.moment());
        return basis;
    }

    private Moment checked(Moment moment) {
        if (moment.isStale(limit)) {
            throw new DatabaseUnavailable("leases are not judged until a sweep has run", null);
        }
        return moment;
    }

    Basis read(String team) throws SQLException {
        String sql = "SELECT " + clock.now() + ", at, graced_at, " + Stages.ofTeam("CAST(? AS VARCHAR)")
                + " FROM sweep_heartbeat WHERE id = 1";
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, team);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new Basis(moment(row), Stage.of(row.getString(4)));
            }
        }
    }

    private static Moment moment(ResultSet row) throws SQLException {
        return new Moment(
                row.getTimestamp(1).toInstant(),
                row.getTimestamp(2).toInstant(),
                row.getTimestamp(3).toInstant());
    }

    Moment read() throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(
                        "SELECT " + clock.now() + ", at, graced_at FROM sweep_heartbeat WHERE id = 1");
                ResultSet row = query.executeQuery()) {
            row.next();
            return moment(row);
        }
    }

    /**
     * Leases begin to end sessions: each session that is concerned gets one fresh lease, in the transaction that changes the
     * stage, so that no roster collapses. A sweep under way either holds a session's row, and this waits for it, or finds
     * both the fresh lease and the new stage.
     */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    void entered(@Observes StageChanged changed) throws SQLException {
        if (changed.after().endsLeases() && !changed.before().endsLeases()) {
            String team = changed.scope().team();
            try (Connection connection = database.connection()) {
                change(connection, LENGTHEN, Instant.EPOCH, null, team == null ? OF_OTHER_TEAMS : OF_TEAM, team);
            }
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
                ? change(connection, CUT, Instant.EPOCH, moment.now(), "", null)
                : change(connection, LENGTHEN, moment.beat(), moment.now(), "", null);
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

    /**
     * In id order and in chunks, so that no statement runs into its timeout however many sessions there are.
     *
     * @param given the time to count from; null for that of each chunk, after its locks
     * @param which a condition more, with one parameter if {@code team} is given
     */
    private int change(
            Connection connection,
            String sql,
            Instant endedAfter,
            @Nullable Instant given,
            String which,
            @Nullable String team)
            throws SQLException {
        int changed = 0;
        String live = LIVE + which + IN_ORDER;
        List<String> ids = live(connection, live, endedAfter, "", team);
        while (!ids.isEmpty()) {
            Instant now = given == null ? clock.read() : given;
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                update.setTimestamp(1, Timestamp.from(now));
                update.setArray(2, connection.createArrayOf("VARCHAR", ids.toArray()));
                changed += update.executeUpdate();
            }
            ids = live(connection, live, endedAfter, ids.get(ids.size() - 1), team);
        }
        return changed;
    }

    private static List<String> live(
            Connection connection, String sql, Instant endedAfter, String afterId, @Nullable String team)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setTimestamp(1, Timestamp.from(endedAfter));
            query.setString(2, afterId);
            if (team != null) {
                query.setString(3, team);
            }
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
