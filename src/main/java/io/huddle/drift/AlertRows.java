package io.huddle.drift;

import io.huddle.drift.AlertRules.Open;
import io.huddle.drift.AlertRules.Subject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The alerts' table, in the caller's transaction. */
final class AlertRows {
    static final String COLUMNS = "id, group_id, kind, severity, room_id, room_state, active_leases, suspects,"
            + " oldest_proof_seconds, last_transition, last_transition_at, opened_at, paged_at, updated_at, closed_at,"
            + " close_reason, version";
    private static final String OPEN =
            "SELECT " + COLUMNS + ", clean_windows FROM alert WHERE open_room IS NOT NULL ORDER BY opened_at, id";
    private static final String INSERT = "INSERT INTO alert (" + COLUMNS + ", clean_windows, open_room) VALUES"
            + " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE = "UPDATE alert SET severity = ?, room_state = ?, active_leases = ?,"
            + " suspects = ?, oldest_proof_seconds = ?, last_transition = ?, last_transition_at = ?, paged_at = ?,"
            + " updated_at = ?, closed_at = ?, close_reason = ?, clean_windows = ?, open_room = ? WHERE id = ?";

    private final Connection connection;

    AlertRows(Connection connection) {
        this.connection = connection;
    }

    /** @param clean how many clean windows it has seen in a row */
    record Row(AlertJson alert, int clean) {
        Subject subject() {
            return new Subject(alert.room(), DriftKind.of(alert.kind()));
        }

        Open open() {
            return new Open(subject(), Severity.of(alert.severity()), clean);
        }

        private @Nullable String openRoom() {
            return alert.closedAt() == null ? alert.room() : null;
        }
    }

    List<Row> open() throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(OPEN);
                ResultSet row = query.executeQuery()) {
            List<Row> open = new ArrayList<>();
            while (row.next()) {
                open.add(new Row(read(row), row.getInt(18)));
            }
            return open;
        }
    }

    void insert(List<Row> rows) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (Row row : rows) {
                AlertJson alert = row.alert();
                insert.setString(1, alert.id());
                insert.setString(2, alert.group());
                insert.setString(3, alert.kind());
                insert.setString(4, alert.severity());
                insert.setString(5, alert.room());
                insert.setString(6, alert.roomState());
                insert.setInt(7, alert.activeLeases());
                insert.setInt(8, alert.suspects());
                insert.setObject(9, alert.oldestUnrenewedLeaseSeconds());
                insert.setString(10, alert.lastTransition());
                insert.setTimestamp(11, timestamp(alert.lastTransitionAt()));
                insert.setTimestamp(12, timestamp(alert.openedAt()));
                insert.setTimestamp(13, timestamp(alert.pagedAt()));
                insert.setTimestamp(14, timestamp(alert.updatedAt()));
                insert.setTimestamp(15, timestamp(alert.closedAt()));
                insert.setString(16, alert.closeReason());
                insert.setString(17, alert.version());
                insert.setInt(18, row.clean());
                insert.setString(19, row.openRoom());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    void update(List<Row> rows) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(UPDATE)) {
            for (Row row : rows) {
                AlertJson alert = row.alert();
                update.setString(1, alert.severity());
                update.setString(2, alert.roomState());
                update.setInt(3, alert.activeLeases());
                update.setInt(4, alert.suspects());
                update.setObject(5, alert.oldestUnrenewedLeaseSeconds());
                update.setString(6, alert.lastTransition());
                update.setTimestamp(7, timestamp(alert.lastTransitionAt()));
                update.setTimestamp(8, timestamp(alert.pagedAt()));
                update.setTimestamp(9, timestamp(alert.updatedAt()));
                update.setTimestamp(10, timestamp(alert.closedAt()));
                update.setString(11, alert.closeReason());
                update.setInt(12, row.clean());
                update.setString(13, row.openRoom());
                update.setString(14, alert.id());
                update.addBatch();
            }
            update.executeBatch();
        }
    }

    /** An alert from {@link #COLUMNS}. */
    static AlertJson read(ResultSet row) throws SQLException {
        long oldest = row.getLong(9);
        Long oldestSeconds = row.wasNull() ? null : oldest;
        Instant closedAt = instant(row, 15);
        return new AlertJson(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                closedAt == null ? AlertJson.OPEN : AlertJson.CLOSED,
                row.getString(5),
                row.getString(6),
                row.getInt(7),
                row.getInt(8),
                oldestSeconds,
                row.getString(10),
                instant(row, 11),
                row.getTimestamp(12).toInstant(),
                instant(row, 13),
                row.getTimestamp(14).toInstant(),
                closedAt,
                row.getString(16),
                row.getString(17));
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        Timestamp at = row.getTimestamp(column);
        return at == null ? null : at.toInstant();
    }

    private static @Nullable Timestamp timestamp(@Nullable Instant at) {
        return at == null ? null : Timestamp.from(at);
    }
}
