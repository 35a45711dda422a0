package io.huddle.presence;

import io.huddle.room.Room;
import io.huddle.room.RoomState;
import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.security.OperatorActed;
import io.huddle.security.Role;
import io.huddle.setting.Setting;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
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

/**
 * The steps of closing a room, each a conditional transaction of its own: persist {@code closing} and fence the renewals,
 * end the leases, persist {@code closed}. Every step may be repeated by any node.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class, dontRollbackOn = Refused.class)
public class Closings {
    static final String IDLE = "idle";
    static final String BY_OPERATOR = "operator";

    private static final int A_RUN = 50;
    private static final String ABANDONED =
            "SELECT id FROM room WHERE state = 'closing' AND closing_at < ? ORDER BY id FETCH FIRST " + A_RUN
                    + " ROWS ONLY";
    /** In: any id or one, twice the instant since when nobody was in the room. */
    private static final String IDLE_ROOMS = "SELECT r.id FROM room r WHERE r.state = 'open' AND r.id LIKE ?"
            + " AND r.created_at < ?"
            + " AND NOT EXISTS (SELECT 1 FROM room_session s WHERE s.room_id = r.id AND (s.lease_until >= ?"
            // Before leases end sessions a member may be connected without one.
            + " OR (s.state <> 'absent' AND s.stream_id IS NOT NULL AND s.stream_ended_at IS NULL)))"
            + " ORDER BY r.id FETCH FIRST " + A_RUN + " ROWS ONLY";

    @Inject
    private Rooms rooms;

    @Inject
    private Sessions sessions;

    @Inject
    private Heartbeat heartbeat;

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Event<OperatorActed> acted;

    /**
     * The first step, for a caller.
     *
     * @param reason an operator's words, null where the caller closes as a member of the team
     * @throws Refused {@code room-not-found}; {@code forbidden} to a participant who did not open the room;
     *     {@code reason-missing} to an operator without one
     */
    @Retried
    public void begin(Caller caller, String roomId, @Nullable String reason) throws SQLException {
        Room room = rooms.lock(caller, roomId);
        boolean asMember = caller.actsIn(room.team()) && caller.actsFor(room.createdBy());
        if (!asMember && !caller.is(Role.OPERATOR)) {
            throw new Refused(Refusal.FORBIDDEN, "only who opened the room, an integrator or an operator may close it");
        }
        if (!asMember && reason == null) {
            throw new Refused(Refusal.REASON_MISSING, "an operator says why: 1 to 200 characters");
        }
        Instant now = clock.read();
        begin(room, asMember ? null : BY_OPERATOR, now);
        if (!asMember && reason != null) {
            acted.fire(new OperatorActed(caller.subject(), "room.close", reason, roomId, null, null, now));
        }
    }

    /** The first step, for a room nobody has used for so long; does nothing if somebody has meanwhile. */
    @Retried
    public boolean beginIdle(String roomId) throws SQLException {
        Room room = rooms.lock(roomId);
        if (room == null || room.state() != RoomState.OPEN || !idle(roomId).contains(roomId)) {
            return false;
        }
        begin(room, IDLE, clock.read());
        return true;
    }

    /** The second step: ends the leases of a closing room. */
    @Retried
    public void endLeases(String roomId) throws SQLException {
        Room room = rooms.lock(roomId);
        if (room != null && room.state() == RoomState.CLOSING) {
            sessions.endAll(room);
        }
    }

    /** The third step: persists {@code closed}. */
    @Retried
    public void finish(String roomId) throws SQLException {
        Room room = rooms.lock(roomId);
        if (room != null) {
            rooms.finishClosing(room, clock.read());
        }
    }

    /** Rooms that have been closing for longer than a close takes: whoever closed them is gone. */
    @Retried
    public List<String> abandoned() throws SQLException {
        Instant before = clock.read().minusSeconds(Setting.CLOSE_RECOVERY_SECONDS.value());
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(ABANDONED)) {
            query.setTimestamp(1, Timestamp.from(before));
            return ids(query);
        }
    }

    /** Open rooms without an unexpired lease for the configured time. */
    @Retried
    public List<String> idle() throws SQLException {
        return idle("%");
    }

    /** While no lease may be judged, nobody can say that a room is idle: an outage of the sweeps may be forgiven yet. */
    private List<String> idle(String which) throws SQLException {
        Instant now = heartbeat.current().now();
        Timestamp since = Timestamp.from(now.minusSeconds(Setting.IDLE_CLOSE_SECONDS.value()));
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(IDLE_ROOMS)) {
            query.setString(1, which);
            query.setTimestamp(2, since);
            query.setTimestamp(3, since);
            return ids(query);
        }
    }

    private void begin(Room room, @Nullable String reason, Instant now) throws SQLException {
        if (room.state() == RoomState.OPEN) {
            rooms.beginClosing(room, reason, now);
            sessions.fence(room.id());
        }
    }

    private static List<String> ids(PreparedStatement query) throws SQLException {
        List<String> ids = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getString(1));
            }
        }
        return ids;
    }
}
