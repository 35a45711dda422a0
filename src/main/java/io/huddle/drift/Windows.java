package io.huddle.drift;

import io.huddle.drift.Judgement.Judged;
import io.huddle.setting.Setting;
import io.huddle.store.Database;
import io.huddle.time.DatabaseClock;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The windows of drift: each judged once, in one transaction, by whichever node comes first. Safe for use by any thread.
 *
 * <p>A SIGKILL in the middle costs nothing: nothing of the window is there, and another node judges it while it is the one
 * that is due. If none does, it is no data.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Windows {
    private static final int A_TRANSACTION = 200;
    private static final String COUNTED = "UPDATE drift_rejection SET rejections = rejections + ?"
            + " WHERE started_at = ? AND room_id = ? AND counted_by = ?";
    private static final String COUNT =
            "INSERT INTO drift_rejection (rejections, started_at, room_id, counted_by) VALUES (?, ?, ?, ?)";
    private static final String TRIM_WINDOWS = "DELETE FROM drift_window WHERE started_at IN (SELECT started_at"
            + " FROM drift_window WHERE started_at < ? ORDER BY started_at FETCH FIRST ? ROWS ONLY)";
    private static final String TRIM_REJECTIONS = "DELETE FROM drift_rejection WHERE started_at < ?";
    private static final String TRIM_ALERTS = "DELETE FROM alert WHERE id IN (SELECT id FROM alert"
            + " WHERE closed_at < ? ORDER BY closed_at FETCH FIRST ? ROWS ONLY)";
    /** Also those that nobody delivers, because the webhook was taken away: they would be told as news when there is one again. */
    private static final String TRIM_MESSAGES = "DELETE FROM alert_message WHERE id IN (SELECT id FROM alert_message"
            + " WHERE created_at < ? ORDER BY created_at FETCH FIRST ? ROWS ONLY)";

    private final Thresholds thresholds = DriftSettings.thresholds();

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @SuppressWarnings("NullAway.Init")
    private Judgement judgement;

    @PostConstruct
    void prepare() {
        judgement = new Judgement(
                thresholds,
                DriftSettings.delay(thresholds),
                Duration.ofMillis(Setting.OUTAGE_LIMIT_MS.value()),
                clock.now(),
                WebhookAddress.configured() != null);
    }

    /** @return null if nothing is due, another node judges, or the window is no data */
    @Nullable
    Judged judge() throws SQLException {
        try (Connection connection = database.connection()) {
            return judgement.judge(connection);
        }
    }

    /**
     * Adds to what a node has counted in the window that runs. Only the node itself writes its rows.
     *
     * @param node the same for all of a node's counts
     * @param counted rejections by room
     */
    void count(String node, Map<String, Integer> counted) throws SQLException {
        Timestamp start =
                Timestamp.from(Window.at(clock.read(), thresholds.window()).start());
        try (Connection connection = database.connection();
                PreparedStatement update = connection.prepareStatement(COUNTED);
                PreparedStatement insert = connection.prepareStatement(COUNT)) {
            for (Map.Entry<String, Integer> one : counted.entrySet()) {
                bind(update, one, start, node);
                if (update.executeUpdate() == 0) {
                    bind(insert, one, start, node);
                    insert.executeUpdate();
                }
            }
        }
    }

    /**
     * Deletes what has been kept for long enough.
     *
     * @return true if there may be more
     */
    boolean trim(Instant windowsBefore, Instant alertsBefore) throws SQLException {
        try (Connection connection = database.connection()) {
            int deleted = trim(connection, TRIM_WINDOWS, windowsBefore);
            deleted = Math.max(deleted, trim(connection, TRIM_ALERTS, alertsBefore));
            deleted = Math.max(deleted, trim(connection, TRIM_MESSAGES, alertsBefore));
            try (PreparedStatement delete = connection.prepareStatement(TRIM_REJECTIONS)) {
                delete.setTimestamp(1, Timestamp.from(windowsBefore));
                delete.executeUpdate();
            }
            return deleted == A_TRANSACTION;
        }
    }

    private static int trim(Connection connection, String sql, Instant before) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(sql)) {
            delete.setTimestamp(1, Timestamp.from(before));
            delete.setInt(2, A_TRANSACTION);
            return delete.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, Map.Entry<String, Integer> one, Timestamp start, String node)
            throws SQLException {
        statement.setInt(1, one.getValue());
        statement.setTimestamp(2, start);
        statement.setString(3, one.getKey());
        statement.setString(4, node);
    }
}
