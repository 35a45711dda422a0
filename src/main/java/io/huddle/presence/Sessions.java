package io.huddle.presence;

import io.huddle.event.EventType;
import io.huddle.event.Events;
import io.huddle.event.RoomEvent;
import io.huddle.rollout.Stage;
import io.huddle.rollout.Stages;
import io.huddle.room.Room;
import io.huddle.room.RoomState;
import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.security.IceServers;
import io.huddle.security.OperatorActed;
import io.huddle.security.Tickets;
import io.huddle.store.Retried;
import io.huddle.web.IdempotencyKey;
import io.huddle.web.Ids;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.TypedQuery;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.net.URI;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sessions: join, and every command that is not a plain renewal. Safe for use by any thread.
 *
 * <p>Each method is one transaction in the one lock order: the room's row, then the session's, then the clock. A refusal
 * commits, since an expiry that was due has been written with it.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class, dontRollbackOn = Refused.class)
public class Sessions {
    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Rooms rooms;

    @Inject
    private Events events;

    @Inject
    private Heartbeat heartbeat;

    @Inject
    private JoinKeys keys;

    @Inject
    private Tickets tickets;

    @Inject
    private IceServers iceServers;

    @Inject
    private Event<Returned> returned;

    @Inject
    private Event<Expired> expired;

    @Inject
    private Event<Overlooked> overlooked;

    @Inject
    private Event<OperatorActed> acted;

    @Inject
    private Stages stages;

    /**
     * A participant is back, or was never away.
     *
     * @param before the seat it comes from
     * @param now of the join or renewal
     * @param removes whether a lease that had run out had ended the session by then
     */
    public record Returned(Seat before, Seat after, Instant now, boolean removes) {}

    /**
     * A command of another generation was carried out, since nothing fences generations yet. Fired inside of the
     * transaction.
     *
     * @param command from the closed set of commands
     */
    public record Overlooked(String command, String room, String session, Instant at) {}

    /**
     * A session has expired.
     *
     * @param leaseUntil when its lease ended
     * @param provenAt its last proof of life
     */
    public record Expired(Instant leaseUntil, Instant provenAt, Instant at) {}

    /** What a command answered. */
    record Outcome(Seat seat, Instant now) {}

    /**
     * Joins, or joins again under the same key.
     *
     * @param stream where the client streams are, to be told
     * @throws Refused {@code room-closing}, {@code room-closed}, {@code room-full}; for a retry also
     *     {@code stale-generation} and {@code session-ended}
     */
    @Retried
    public MembershipJson join(
            Caller caller, String roomId, String participant, @Nullable IdempotencyKey key, URI stream)
            throws SQLException {
        Room room = rooms.lock(caller, roomId);
        Session found = find(room.id(), participant);
        Basis basis = heartbeat.current(room.team());
        Instant now = basis.now();
        Session session = found == null ? Session.of(room.id(), room.policy(), participant) : found;
        Long made = found == null || key == null ? null : keys.generation(session.id(), key);
        Seat before = session.seat();
        Verdict verdict = made != null
                ? SessionRules.joinAgain(before, room.state(), made, now, basis.stage())
                : SessionRules.join(before, room.state(), isFull(room, session, basis), now, basis.stage());
        carryOut(room, session, verdict, now, "join");
        if (found == null) {
            entities.persist(session);
        }
        if (key != null && made == null) {
            entities.flush();
            keys.keep(session.id(), key, verdict.seat().generation());
        }
        Tickets.Ticket ticket = tickets.issue(session.id(), verdict.seat().generation(), now);
        returned.fire(new Returned(before, verdict.seat(), now, basis.stage().endsLeases()));
        return MembershipJson.of(
                room, session, now, MembershipJson.StreamJson.of(stream, ticket), iceServers.of(session.id(), now));
    }

    /** A renewal that is not plain, or whose row was busy. */
    @Retried
    public Outcome renew(String roomId, String sessionId, long generation, @Nullable Long counter) throws SQLException {
        Locked locked = lock(roomId, sessionId);
        Seat before = locked.session().seat();
        Verdict verdict =
                SessionRules.renew(before, locked.room().state(), generation, counter, locked.now(), locked.stage());
        carryOut(locked.room(), locked.session(), verdict, locked.now(), "renew");
        overlook("renew", locked, generation);
        returned.fire(new Returned(
                before, verdict.seat(), locked.now(), locked.stage().endsLeases()));
        return new Outcome(verdict.seat(), locked.now());
    }

    @Retried
    public Outcome suspend(String roomId, String sessionId, long generation, @Nullable Long counter)
            throws SQLException {
        Locked locked = lock(roomId, sessionId);
        Verdict verdict = SessionRules.suspend(
                locked.session().seat(), locked.room().state(), generation, counter, locked.now(), locked.stage());
        carryOut(locked.room(), locked.session(), verdict, locked.now(), "suspend");
        overlook("suspend", locked, generation);
        return new Outcome(verdict.seat(), locked.now());
    }

    @Retried
    public void leave(String roomId, String sessionId, long generation) throws SQLException {
        Locked locked = lock(roomId, sessionId);
        Verdict verdict = SessionRules.leave(
                locked.session().seat(), locked.room().state(), generation, locked.now(), locked.stage());
        carryOut(locked.room(), locked.session(), verdict, locked.now(), "leave");
        overlook("leave", locked, generation);
    }

    @Retried
    public void media(String roomId, String sessionId, MediaReport report) throws SQLException {
        Locked locked = lock(roomId, sessionId);
        Session session = locked.session();
        Verdict verdict = SessionRules.media(
                session.seat(),
                locked.room().state(),
                report.generation(),
                session.becomesFailed(report),
                locked.now(),
                locked.stage());
        if (verdict.refusal() == null) {
            session.hear(report, locked.now());
        }
        carryOut(locked.room(), session, verdict, locked.now(), "media");
        overlook("media", locked, report.generation());
    }

    /**
     * The stream of this generation ended without a word: a present session becomes suspect.
     *
     * @param connection of the stream
     * @return true if it became so
     * @throws Refused {@code stale-generation}: the end of an older generation's stream says nothing
     */
    @Retried
    public boolean streamClosed(String roomId, String sessionId, long generation, String connection)
            throws SQLException {
        Locked locked = lock(roomId, sessionId);
        locked.session().streamEnded(connection, locked.now());
        Verdict verdict = SessionRules.streamClosed(
                locked.session().seat(), locked.room().state(), generation, locked.now(), locked.stage());
        carryOut(locked.room(), locked.session(), verdict, locked.now(), "stream-closed");
        return !verdict.transitions().isEmpty();
    }

    /**
     * What a dead node had of a session.
     *
     * @param connection of its stream
     */
    record Lost(long generation, String connection) {}

    /**
     * What came of the loss of a node.
     *
     * @param suspected how many sessions became suspect
     * @param stale those that have a newer generation by now
     * @param busy rooms that somebody else held: nothing of theirs was changed
     */
    record NodeLost(int suspected, List<Rejection> stale, Set<String> busy) {}

    /**
     * The node that had these generations' streams is dead: those that are present become suspect. Told once more, it
     * changes nothing. All rooms are locked before the first session, as everywhere.
     *
     * @param lost the sessions by room
     * @param streams that each session had
     * @param waits whether to wait for a room that is busy; only with one room, so that no other is held meanwhile
     */
    @Retried
    public NodeLost nodeLost(Map<String, List<String>> lost, Map<String, Lost> streams, boolean waits)
            throws SQLException {
        Map<String, Room> locked = new TreeMap<>();
        for (Room room : waits ? lockAll(lost.keySet()) : rooms.lockFree(lost.keySet())) {
            locked.put(room.id(), room);
        }
        List<String> ids = locked.keySet().stream()
                .flatMap(room -> lost.getOrDefault(room, List.of()).stream())
                .toList();
        Set<String> busy = new TreeSet<>(lost.keySet());
        busy.removeAll(locked.keySet());
        List<Rejection> stale = new ArrayList<>();
        int suspected = 0;
        if (!ids.isEmpty()) {
            List<Session> found = lockSessions(ids);
            Map<String, Stage> judgedBy = stages.ofRooms(locked.keySet());
            Moment moment = heartbeat.current();
            for (Session session : found) {
                Room room = Objects.requireNonNull(locked.get(session.room()));
                Basis basis = new Basis(moment, Objects.requireNonNull(judgedBy.get(room.id())));
                suspected += nodeLost(room, session, Objects.requireNonNull(streams.get(session.id())), basis, stale);
            }
        }
        return new NodeLost(suspected, stale, busy);
    }

    private List<Room> lockAll(Set<String> ids) {
        return ids.stream().sorted().map(rooms::lock).filter(Objects::nonNull).toList();
    }

    private int nodeLost(Room room, Session session, Lost lost, Basis basis, List<Rejection> stale)
            throws SQLException {
        session.streamEnded(lost.connection(), basis.now());
        Verdict verdict =
                SessionRules.nodeLost(session.seat(), room.state(), lost.generation(), basis.now(), basis.stage());
        Refusal refusal = verdict.refusal();
        if (refusal != null) {
            stale.add(Rejections.of(
                    refusal,
                    "node-lost",
                    room.id(),
                    session.id(),
                    session.seat().generation()));
            return 0;
        }
        carryOut(room, session, verdict, basis.now(), "node-lost");
        return verdict.transitions().size();
    }

    /**
     * An operator ends exactly this generation; the audit line is written in the same transaction.
     *
     * @throws Refused {@code session-not-found}, {@code stale-generation} and those of an ended session
     */
    @Retried
    public void remove(Caller operator, String roomId, String sessionId, long generation, String reason)
            throws SQLException {
        Locked locked = lock(roomId, sessionId);
        Verdict verdict = SessionRules.remove(
                locked.session().seat(), locked.room().state(), generation, locked.now(), locked.stage());
        carryOut(locked.room(), locked.session(), verdict, locked.now(), "remove");
        acted.fire(new OperatorActed(
                operator.subject(), "session.remove", reason, roomId, sessionId, generation, locked.now()));
    }

    /**
     * The sweep's part: expires what ended by the beat, doubts what gave no proof of life. Skips busy rooms.
     *
     * @param due the candidates by room, judged again under the locks
     * @return how many transitions were written
     */
    @Retried
    public int sweep(Map<String, List<String>> due, Moment written) throws SQLException {
        Map<String, Room> free = new TreeMap<>();
        for (Room room : rooms.lockFree(due.keySet())) {
            if (room.state() == RoomState.OPEN) {
                free.put(room.id(), room);
            }
        }
        if (free.isEmpty()) {
            return 0;
        }
        // Of all rooms together, since whoever lengthens leases goes by the ids of the sessions alone.
        List<Session> found = lockSessions(free.keySet().stream()
                .flatMap(room -> due.getOrDefault(room, List.of()).stream())
                .toList());
        Map<String, Stage> judgedBy = stages.ofRooms(free.keySet());
        Moment judged = written.notAfter(heartbeat.read().now());
        int told = 0;
        for (Session session : found) {
            Room room = Objects.requireNonNull(free.get(session.room()));
            told += sweep(room, session, new Basis(judged, Objects.requireNonNull(judgedBy.get(room.id()))));
        }
        return told;
    }

    private int sweep(Room room, Session session, Basis judged) throws SQLException {
        Verdict verdict = SweepRules.judge(session.seat(), judged.moment(), judged.stage());
        carryOut(room, session, verdict, judged.now(), "sweep");
        return verdict.transitions().size();
    }

    /** Takes every live session of a closing room out of the renewal batch; the caller holds the room. */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    public void fence(String roomId) {
        liveSessions(roomId).forEach(Session::fence);
    }

    /** Ends every live session of a closing room; the caller holds the room. */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    public void endAll(Room room) throws SQLException {
        List<Session> live = liveSessions(room.id());
        Basis basis = heartbeat.read(room.team());
        boolean mayExpire = !basis.moment().isStale(heartbeat.limit());
        for (Session session : live) {
            Verdict verdict = SessionRules.roomCloses(session.seat(), mayExpire, basis.now(), basis.stage());
            carryOut(room, session, verdict, basis.now(), "close");
        }
    }

    private record Locked(Room room, Session session, Basis basis) {
        Instant now() {
            return basis.now();
        }

        Stage stage() {
            return basis.stage();
        }
    }

    /** Told of what was accepted: whoever was refused is gone by now. */
    private void overlook(String command, Locked locked, long generation) {
        Session session = locked.session();
        if (generation != session.seat().generation()) {
            overlooked.fire(new Overlooked(command, locked.room().id(), session.id(), locked.now()));
        }
    }

    private Locked lock(String roomId, String sessionId) throws SQLException {
        Room room = rooms.lock(roomId);
        if (room == null) {
            throw Rooms.notFound();
        }
        Session session = entities.find(Session.class, sessionId, LockModeType.PESSIMISTIC_WRITE);
        if (session == null) {
            throw Places.notFound();
        }
        return new Locked(room, session, heartbeat.current(room.team()));
    }

    private void carryOut(Room room, Session session, Verdict verdict, Instant now, String command)
            throws SQLException {
        Seat before = session.seat();
        if (!verdict.seat().equals(before)) {
            session.take(verdict.seat());
        }
        for (Verdict.Transition told : verdict.transitions()) {
            events.append(event(room, session, told, now));
            if (told.type() == EventType.PARTICIPANT_EXPIRED && !told.shadow()) {
                expired.fire(new Expired(before.leaseUntil(), before.provenAt(), now));
            }
        }
        Refusal refusal = verdict.refusal();
        if (refusal != null) {
            throw Rejections.of(
                    refusal, command, room.id(), session.id(), session.seat().generation());
        }
    }

    private static RoomEvent event(Room room, Session session, Verdict.Transition told, Instant now) {
        return new RoomEvent(
                Ids.make('e'),
                room.id(),
                room.nextSeq(),
                told.type().wire(),
                session.id(),
                session.participant(),
                told.generation(),
                told.prior().wire(),
                told.next().wire(),
                told.reason(),
                now,
                told.shadow() ? Boolean.TRUE : null);
    }

    /** Places are taken by whom the roster shows. */
    private boolean isFull(Room room, Session session, Basis basis) {
        TypedQuery<Long> others = entities.createQuery(
                        "SELECT count(s) FROM Session s WHERE s.room = :room AND s.id <> :id AND s.state <> :absent AND "
                                + (basis.stage().endsLeases()
                                        ? "s.leaseUntil > :now"
                                        : "(s.streamId IS NULL OR s.streamEndedAt IS NULL)"),
                        Long.class)
                .setParameter("room", room.id())
                .setParameter("id", session.id())
                .setParameter("absent", SessionState.ABSENT.wire());
        if (basis.stage().endsLeases()) {
            others.setParameter("now", basis.now());
        }
        return others.getSingleResult() >= room.policy().maxParticipants();
    }

    private @Nullable Session find(String room, String participant) {
        return entities.createQuery(
                        "SELECT s FROM Session s WHERE s.room = :room AND s.participant = :participant", Session.class)
                .setParameter("room", room)
                .setParameter("participant", participant)
                .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                .getResultStream()
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private List<Session> lockSessions(List<String> ids) {
        return entities.createQuery("SELECT s FROM Session s WHERE s.id IN :ids ORDER BY s.id", Session.class)
                .setParameter("ids", ids)
                .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                .getResultList();
    }

    private List<Session> liveSessions(String room) {
        return entities.createQuery(
                        "SELECT s FROM Session s WHERE s.room = :room AND s.state <> :absent ORDER BY s.id",
                        Session.class)
                .setParameter("room", room)
                .setParameter("absent", SessionState.ABSENT.wire())
                .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                .getResultList();
    }
}
