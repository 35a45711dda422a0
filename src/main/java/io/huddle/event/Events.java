package io.huddle.event;

import io.huddle.store.Database;
import io.huddle.store.Retried;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The durable events of all rooms. Safe for use by any thread. */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Events {
    private static final String COLUMNS =
            "id, room_id, seq, type, session_id, participant, generation, prior, next, reason, at, shadow";
    private static final String INSERT =
            "INSERT INTO room_event (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String AFTER =
            "SELECT " + COLUMNS + " FROM room_event WHERE room_id = ? AND seq > ? ORDER BY seq FETCH FIRST ? ROWS ONLY";
    private static final String BEFORE = "SELECT " + COLUMNS
            + " FROM room_event WHERE room_id = ? AND seq < ? ORDER BY seq DESC FETCH FIRST ? ROWS ONLY";
    private static final String OLDEST = "SELECT min(seq) FROM room_event WHERE room_id = ?";
    private static final String TRIM = "DELETE FROM room_event WHERE (room_id, seq) IN"
            + " (SELECT room_id, seq FROM room_event WHERE at < ? ORDER BY at FETCH FIRST ? ROWS ONLY)";

    @Inject
    private Database database;

    @Inject
    private Event<Appended> appended;

    /**
     * Events of one room after a number.
     *
     * @param oldest the oldest number still kept, null if none is
     */
    public record Slice(List<RoomEvent> items, @Nullable Long oldest) {
        /**
         * True if a reader at {@code after} cannot go on from these events: some between are gone, or the reader is ahead of
         * the room, as after a failover that lost what it had seen.
         */
        public boolean isMissing(long after, long seq) {
            return after > seq || (after < seq && (oldest == null || oldest > after + 1));
        }
    }

    /**
     * Writes the event in the caller's transaction.
     *
     * <p>The caller holds the room's row and took the number from it: that is what makes the numbers gapless and
     * committing order their order.
     */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    public void append(RoomEvent event) throws SQLException {
        append(event, false);
    }

    /**
     * The same.
     *
     * @param synthetic whether its room is left out of what is counted
     */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    public void append(RoomEvent event, boolean synthetic) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, event.id());
            insert.setString(2, event.room());
            insert.setLong(3, event.seq());
            insert.setString(4, event.type());
            insert.setString(5, event.session());
            insert.setString(6, event.participant());
            insert.setObject(7, event.generation());
            insert.setString(8, event.prior());
            insert.setString(9, event.next());
            insert.setString(10, event.reason());
            insert.setTimestamp(11, Timestamp.from(event.at()));
            insert.setBoolean(12, Boolean.TRUE.equals(event.shadow()));
            insert.executeUpdate();
        }
        appended.fire(new Appended(event, synthetic));
    }

    /** At most {@code limit} events after the number, in order. */
    @Retried
    public Slice after(String room, long after, int limit) throws SQLException {
        try (Connection connection = database.connection()) {
            List<RoomEvent> items = new ArrayList<>();
            try (PreparedStatement query = connection.prepareStatement(AFTER)) {
                query.setString(1, room);
                query.setLong(2, after);
                query.setInt(3, limit);
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        items.add(read(rows));
                    }
                }
            }
            boolean whole = !items.isEmpty() && items.get(0).seq() == after + 1;
            return new Slice(items, whole ? Long.valueOf(after + 1) : oldest(connection, room));
        }
    }

    /** At most {@code limit} events before the number, newest first. */
    @Retried
    public List<RoomEvent> before(String room, long before, int limit) throws SQLException {
        List<RoomEvent> items = new ArrayList<>();
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(BEFORE)) {
            query.setString(1, room);
            query.setLong(2, before);
            query.setInt(3, limit);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    items.add(read(rows));
                }
            }
        }
        return items;
    }

    /** Deletes at most {@code limit} events older than the instant; answers how many. */
    @Retried
    public int trim(Instant before, int limit) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement delete = connection.prepareStatement(TRIM)) {
            delete.setTimestamp(1, Timestamp.from(before));
            delete.setInt(2, limit);
            return delete.executeUpdate();
        }
    }

    private static @Nullable Long oldest(Connection connection, String room) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(OLDEST)) {
            query.setString(1, room);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                long oldest = row.getLong(1);
                return row.wasNull() ? null : oldest;
            }
        }
    }

    private static RoomEvent read(ResultSet row) throws SQLException {
        long generation = row.getLong(7);
        Long known = row.wasNull() ? null : generation;
        return new RoomEvent(
                row.getString(1),
                row.getString(2),
                row.getLong(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                known,
                row.getString(8),
                row.getString(9),
                row.getString(10),
                row.getTimestamp(11).toInstant(),
                row.getBoolean(12) ? Boolean.TRUE : null);
    }
}
