package io.huddle.room;

import io.huddle.event.EventType;
import io.huddle.event.RoomEvent;
import io.huddle.web.Ids;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A room: opened by a create, closing once somebody ends it, closed when its last lease has ended; then a tombstone until
 * its retention is over.
 *
 * <p>Its row is the lock under which every event of the room is written, and the source of their numbers. An entity of one
 * transaction and one thread.
 */
@Entity
@Table(name = "room")
public class Room {
    @Id
    private String id;

    private String team;
    private String occurrence;

    @Column(name = "open_occurrence")
    private @Nullable String openOccurrence;

    private @Nullable String label;
    private boolean critical;
    private boolean synthetic;

    @Column(name = "heartbeat_seconds")
    private int heartbeatSeconds;

    @Column(name = "lease_seconds")
    private int leaseSeconds;

    @Column(name = "suspended_lease_seconds")
    private int suspendedLeaseSeconds;

    @Column(name = "max_participants")
    private int maxParticipants;

    private String state;

    @Column(name = "created_by")
    private String createdBy;

    @Column(name = "created_at")
    private Instant createdAt;

    @Column(name = "closing_at")
    private @Nullable Instant closingAt;

    @Column(name = "closed_at")
    private @Nullable Instant closedAt;

    @Column(name = "close_reason")
    private @Nullable String closeReason;

    private long seq;

    @Column(name = "idempotency_key")
    private String idempotencyKey;

    private String fingerprint;

    @SuppressWarnings("NullAway.Init")
    protected Room() {}

    @SuppressWarnings("NullAway.Init")
    static Room open(Creation creation, Instant now) {
        Room room = new Room();
        room.id = Ids.make('r');
        room.team = creation.team();
        room.occurrence = creation.occurrence();
        room.openOccurrence = creation.occurrence();
        room.label = creation.label();
        room.critical = creation.critical();
        room.synthetic = creation.synthetic();
        room.heartbeatSeconds = creation.policy().heartbeatSeconds();
        room.leaseSeconds = creation.policy().leaseSeconds();
        room.suspendedLeaseSeconds = creation.policy().suspendedLeaseSeconds();
        room.maxParticipants = creation.policy().maxParticipants();
        room.state = RoomState.OPEN.wire();
        room.createdBy = creation.createdBy();
        room.createdAt = now;
        room.idempotencyKey = creation.key().value();
        room.fingerprint = creation.fingerprint();
        return room;
    }

    public String id() {
        return id;
    }

    public String team() {
        return team;
    }

    public String createdBy() {
        return createdBy;
    }

    public Instant createdAt() {
        return createdAt;
    }

    /** True for a room of a check by machine, which dashboards, drift and alerts leave out. */
    public boolean isSynthetic() {
        return synthetic;
    }

    public RoomState state() {
        return RoomState.of(state);
    }

    public Policy policy() {
        return new Policy(heartbeatSeconds, leaseSeconds, suspendedLeaseSeconds, maxParticipants);
    }

    public long seq() {
        return seq;
    }

    String fingerprint() {
        return fingerprint;
    }

    /** Why it closes; null where its people closed it. */
    public @Nullable String closeReason() {
        return closeReason;
    }

    /** Refuses new joins from now on and makes way for the next room of the occurrence. */
    RoomEvent beginClosing(@Nullable String reason, Instant now) {
        become(RoomState.CLOSING);
        openOccurrence = null;
        closingAt = now;
        closeReason = reason;
        return event(EventType.ROOM_CLOSING, RoomState.OPEN, RoomState.CLOSING, now);
    }

    RoomEvent finishClosing(Instant now) {
        become(RoomState.CLOSED);
        closedAt = now;
        return event(EventType.ROOM_CLOSED, RoomState.CLOSING, RoomState.CLOSED, now);
    }

    RoomEvent opened() {
        return event(EventType.ROOM_OPENED, null, RoomState.OPEN, createdAt);
    }

    /** The number of the room's next event; the caller holds the row's lock and writes the event. */
    public long nextSeq() {
        seq++;
        return seq;
    }

    RoomJson json() {
        return new RoomJson(
                id,
                team,
                occurrence,
                label,
                state,
                critical,
                synthetic,
                policy(),
                createdBy,
                createdAt,
                closingAt,
                closedAt,
                seq);
    }

    private void become(RoomState next) {
        if (!state().mayBecome(next)) {
            throw new IllegalStateException("room " + id + " is " + state + " and cannot become " + next.wire());
        }
        state = next.wire();
    }

    private RoomEvent event(EventType type, @Nullable RoomState prior, RoomState next, Instant now) {
        return new RoomEvent(
                Ids.make('e'),
                id,
                nextSeq(),
                type.wire(),
                null,
                null,
                null,
                prior == null ? null : prior.wire(),
                next.wire(),
                closeReason,
                now,
                null);
    }
}
