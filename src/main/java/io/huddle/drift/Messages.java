package io.huddle.drift;

import io.huddle.drift.Judgement.Changes;
import io.huddle.web.Ids;
import io.huddle.web.JsonShapes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The table of what the webhook is to be told, in the caller's transaction. One message for all alerts of a group that
 * changed in the same way in one window: a failing media server is one message, not one for each room. Messages of a group
 * are told one after the other: nobody hears of an end before the beginning.
 */
final class Messages {
    /** Bounds a body to about twelve kilobytes; the rest is counted, and the alerts can be read by REST. */
    private static final int MOST_ALERTS = 20;

    private static final String INSERT =
            "INSERT INTO alert_message (id, group_id, body, created_at, due_at, tries)" + " VALUES (?, ?, ?, ?, ?, 0)";
    private static final String DUE = "SELECT m.id, m.body, m.tries FROM alert_message m"
            + " WHERE m.done_at IS NULL AND m.due_at <= ? AND NOT EXISTS (SELECT 1 FROM alert_message e"
            + " WHERE e.group_id = m.group_id AND e.done_at IS NULL AND e.created_at < m.created_at)"
            + " ORDER BY m.due_at, m.id FETCH FIRST 1 ROWS ONLY FOR UPDATE SKIP LOCKED";
    private static final String CLAIM = "UPDATE alert_message SET due_at = ?, tries = tries + 1"
            + " WHERE id = ? AND tries = ? AND done_at IS NULL";
    private static final String DONE =
            "UPDATE alert_message SET done_at = ?, outcome = ? WHERE id = ? AND done_at IS NULL";
    private static final String LATER =
            "UPDATE alert_message SET due_at = ? WHERE id = ? AND tries = ? AND done_at IS NULL";

    private final Connection connection;

    Messages(Connection connection) {
        this.connection = connection;
    }

    /**
     * A message that is the caller's to send.
     *
     * @param tries this one counted
     * @param now when it was claimed, by the database's clock
     */
    record Claimed(String id, String body, int tries, Instant now) {}

    void write(Changes changes, Instant now) throws SQLException {
        write("alerts.opened", changes.openedAlerts(), now);
        write("alerts.escalated", changes.escalated(), now);
        write("alerts.closed", changes.closed(), now);
    }

    private void write(String type, List<AlertJson> alerts, Instant now) throws SQLException {
        Map<String, List<AlertJson>> groups = new TreeMap<>();
        alerts.forEach(alert -> groups.computeIfAbsent(alert.group(), group -> new ArrayList<>())
                .add(alert));
        for (Map.Entry<String, List<AlertJson>> group : groups.entrySet()) {
            List<AlertJson> all = group.getValue();
            List<AlertJson> first = List.copyOf(all.subList(0, Math.min(MOST_ALERTS, all.size())));
            AlertMessage message =
                    new AlertMessage(type, now, new AlertMessage.Data(group.getKey(), all.size(), first));
            try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
                insert.setString(1, "msg_" + Ids.make('m').substring(2));
                insert.setString(2, group.getKey());
                insert.setString(3, JsonShapes.json(message));
                insert.setTimestamp(4, Timestamp.from(now));
                insert.setTimestamp(5, Timestamp.from(now));
                insert.executeUpdate();
            }
        }
    }

    /**
     * Takes the next message that is due; null if none is.
     *
     * @param alone for how long nobody else tries it
     */
    @Nullable
    Claimed claim(Instant now, Duration alone) throws SQLException {
        Claimed due = due(now);
        if (due == null) {
            return null;
        }
        try (PreparedStatement update = connection.prepareStatement(CLAIM)) {
            update.setTimestamp(1, Timestamp.from(now.plus(alone)));
            update.setString(2, due.id());
            update.setInt(3, due.tries() - 1);
            return update.executeUpdate() == 1 ? due : null;
        }
    }

    private @Nullable Claimed due(Instant now) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(DUE)) {
            query.setTimestamp(1, Timestamp.from(now));
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? new Claimed(row.getString(1), row.getString(2), row.getInt(3) + 1, now) : null;
            }
        }
    }

    /** Nobody tries it any more. */
    void done(Claimed message, Settlement outcome, Instant now) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(DONE)) {
            update.setTimestamp(1, Timestamp.from(now));
            update.setString(2, outcome.wire());
            update.setString(3, message.id());
            update.executeUpdate();
        }
    }

    /** Whoever comes first tries it again from the instant on; nothing if somebody else has claimed it meanwhile. */
    void later(Claimed message, Instant due) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(LATER)) {
            update.setTimestamp(1, Timestamp.from(due));
            update.setString(2, message.id());
            update.setInt(3, message.tries());
            update.executeUpdate();
        }
    }
}
