package io.huddle.room;

import io.huddle.event.Events;
import io.huddle.security.Caller;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Cursor;
import io.huddle.web.Ids;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.TypedQuery;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rooms: create, read, list, and the two durable steps of closing. Safe for use by any thread. */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class, dontRollbackOn = Refused.class)
public class Rooms {
    private static final String LOCK_FREE = "SELECT id FROM room WHERE id = ANY (?) ORDER BY id FOR UPDATE SKIP LOCKED";

    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Events events;

    /** A created room, or the one that an earlier request with the same key created. */
    record Created(RoomJson room, boolean isReplay) {}

    /**
     * Creates a room once for each (team, occurrence, key).
     *
     * <p>Of several first requests in parallel one inserts; the others fail on a constraint of the database and run again,
     * in a new transaction, where they find what the first one wrote.
     *
     * @throws Refused {@code idempotency-key-reused} for another request under the same key; {@code room-exists} with the
     *     open room's id if another key opened one
     */
    @Retried
    Created create(Creation creation) throws SQLException {
        // In this order: a room that appears between the two queries is then found by its key, never only as a
        // stranger's.
        String open = openRoom(creation);
        Room before = find(creation);
        if (before != null) {
            if (!before.fingerprint().equals(creation.fingerprint())) {
                throw new Refused(
                        Refusal.IDEMPOTENCY_KEY_REUSED,
                        "this key created a room from other fields; take a new key for a new request");
            }
            return new Created(before.json(), true);
        }
        if (open != null) {
            throw new Refused(
                    Refusal.ROOM_EXISTS,
                    "join the open room, whose id is in the member 'room', or close it first",
                    Map.of("room", open));
        }
        Room room = Room.open(creation, clock.read());
        var opened = room.opened();
        entities.persist(room);
        entities.flush();
        events.append(opened, room.isSynthetic());
        return new Created(room.json(), false);
    }

    /**
     * A room as the caller may see it.
     *
     * @throws Refused {@code room-not-found}, also for rooms of other teams
     */
    @Retried
    public RoomJson read(Caller caller, String id) {
        return visible(caller, id, LockModeType.NONE).json();
    }

    /** The same as an entity of the caller's transaction, not locked. */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class, dontRollbackOn = Refused.class)
    public Room see(Caller caller, String id) {
        return visible(caller, id, LockModeType.NONE);
    }

    /** The same with its row locked until the transaction ends: whatever may write an event begins here. */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class, dontRollbackOn = Refused.class)
    public Room lock(Caller caller, String id) {
        return visible(caller, id, LockModeType.PESSIMISTIC_WRITE);
    }

    /** Locks a room that background work found; null if it is gone. */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    public @Nullable Room lock(String id) {
        return entities.find(Room.class, id, LockModeType.PESSIMISTIC_WRITE);
    }

    /** Locks those of these rooms that nobody else holds, in id order. */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    public List<Room> lockFree(Collection<String> ids) throws SQLException {
        List<Room> rooms = new ArrayList<>();
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(LOCK_FREE)) {
            query.setArray(1, connection.createArrayOf("VARCHAR", ids.toArray()));
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    rooms.add(entities.find(Room.class, rows.getString(1)));
                }
            }
        }
        return rooms;
    }

    /** At most {@code limit} rooms the caller may see, newest first, behind the cursor. Null means any. */
    @Retried
    List<RoomJson> list(
            Caller caller,
            @Nullable String team,
            @Nullable String occurrence,
            @Nullable RoomState state,
            @Nullable Cursor cursor,
            int limit) {
        if (team != null && !caller.sees(team)) {
            return List.of();
        }
        boolean all = caller.is(io.huddle.security.Role.OPERATOR);
        if (!all && caller.teams().isEmpty()) {
            return List.of();
        }
        StringBuilder query = new StringBuilder("SELECT r FROM Room r WHERE 1 = 1");
        query.append(team != null ? " AND r.team = :team" : all ? "" : " AND r.team IN :teams");
        query.append(occurrence != null ? " AND r.occurrence = :occurrence" : "");
        query.append(state != null ? " AND r.state = :state" : "");
        query.append(cursor != null ? " AND (r.createdAt < :at OR (r.createdAt = :at AND r.id < :id))" : "");
        query.append(" ORDER BY r.createdAt DESC, r.id DESC");
        TypedQuery<Room> rooms =
                entities.createQuery(query.toString(), Room.class).setMaxResults(limit);
        if (team != null) {
            rooms.setParameter("team", team);
        } else if (!all) {
            rooms.setParameter("teams", caller.teams());
        }
        if (occurrence != null) {
            rooms.setParameter("occurrence", occurrence);
        }
        if (state != null) {
            rooms.setParameter("state", state.wire());
        }
        if (cursor != null) {
            rooms.setParameter("at", cursor.at()).setParameter("id", cursor.id());
        }
        return rooms.getResultList().stream().map(Room::json).toList();
    }

    /**
     * Persists {@code closing}, in the caller's transaction and under the room's lock; does nothing if it is past that.
     */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    public void beginClosing(Room room, @Nullable String reason, Instant now) throws SQLException {
        if (room.state() == RoomState.OPEN) {
            events.append(room.beginClosing(reason, now), room.isSynthetic());
        }
    }

    /** Persists {@code closed}; does nothing unless the room is closing. */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    public void finishClosing(Room room, Instant now) throws SQLException {
        if (room.state() == RoomState.CLOSING) {
            events.append(room.finishClosing(now), room.isSynthetic());
        }
    }

    private @Nullable Room find(Creation creation) {
        return entities.createQuery(
                        "SELECT r FROM Room r WHERE r.team = :team AND r.occurrence = :occurrence"
                                + " AND r.idempotencyKey = :key",
                        Room.class)
                .setParameter("team", creation.team())
                .setParameter("occurrence", creation.occurrence())
                .setParameter("key", creation.key().value())
                .getResultStream()
                .findFirst()
                .orElse(null);
    }

    private @Nullable String openRoom(Creation creation) {
        return entities.createQuery(
                        "SELECT r.id FROM Room r WHERE r.team = :team AND r.openOccurrence = :occurrence", String.class)
                .setParameter("team", creation.team())
                .setParameter("occurrence", creation.occurrence())
                .getResultStream()
                .findFirst()
                .orElse(null);
    }

    private Room visible(Caller caller, String id, LockModeType lock) {
        Room room = Ids.isOf('r', id) ? entities.find(Room.class, id, lock) : null;
        if (room == null || !caller.sees(room.team())) {
            throw notFound();
        }
        return room;
    }

    /** One text for rooms that never were, that are gone, and that are another team's. */
    public static Refused notFound() {
        return new Refused(Refusal.ROOM_NOT_FOUND, "no room of your teams has this id");
    }
}
