package io.huddle.presence;

import io.huddle.event.EventType;
import io.huddle.presence.Verdict.Transition;
import io.huddle.rollout.Stage;
import io.huddle.room.RoomState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The database and the transactions upon it, as the beans carry them out, in memory: each method is one transaction with
 * its locks held and the clock read after them. What the rules decide is written as it is; {@link PresenceInvariants}
 * hears of every write.
 */
final class ModelStore {
    static final Duration OUTAGE_LIMIT = Duration.ofSeconds(2);
    private static final Duration CLOSE_RECOVERY = Duration.ofSeconds(2);

    final PresenceInvariants invariants = new PresenceInvariants();
    final List<ModelRoom> rooms = new ArrayList<>();
    private Instant now = Instant.parse("2026-11-30T00:00:00Z");
    private Instant beat = now;
    private Instant graced = now;

    static final class ModelRoom {
        final int id;
        final Terms terms;
        final int places;
        final List<ModelSession> sessions = new ArrayList<>();
        RoomState state = RoomState.OPEN;
        Stage stage;
        Instant stageSince = Instant.MIN;
        Instant closingAt = Instant.MAX;
        long seq;

        ModelRoom(int id, Terms terms, int places, int participants, Stage stage) {
            this.stage = stage;
            this.id = id;
            this.terms = terms;
            this.places = places;
            for (int i = 0; i < participants; i++) {
                sessions.add(new ModelSession(this, i));
            }
        }

        @Override
        public String toString() {
            return "room " + id + " " + state + " " + stage;
        }
    }

    static final class ModelSession {
        final ModelRoom room;
        final int participant;
        final Map<Integer, Long> keys = new HashMap<>();
        Seat seat;
        boolean roomOpen = true;
        boolean mediaFailed;

        ModelSession(ModelRoom room, int participant) {
            this.room = room;
            this.participant = participant;
            this.seat = Seat.empty(room.terms);
        }

        @Override
        public String toString() {
            return "r" + room.id + "/p" + participant;
        }
    }

    enum Kind {
        JOIN,
        RENEW,
        SUSPEND,
        LEAVE,
        MEDIA,
        REMOVE
    }

    /** @param key of a join, null without one; {@code number} is the counter of a renewal, null without one */
    record Command(
            Kind kind,
            ModelSession session,
            long generation,
            @Nullable Long number,
            @Nullable Integer key,
            boolean failed) {
        @Override
        public String toString() {
            return kind + " " + session + " g" + generation + (number == null ? "" : " #" + number)
                    + (key == null ? "" : " key " + key) + (failed ? " failed" : "");
        }
    }

    Instant now() {
        return now;
    }

    void pass(Duration time) {
        now = now.plus(time);
    }

    void stepBack(Duration time) {
        now = now.minus(time);
        invariants.clockSteppedBack();
    }

    /** The next sweep will find a beat that is too old, or too far ahead. */
    boolean isStale() {
        return moment().isStale(OUTAGE_LIMIT);
    }

    private Moment moment() {
        return new Moment(now, beat, graced);
    }

    void open(ModelRoom room) {
        rooms.add(room);
        invariants.roomTold(room, ++room.seq, EventType.ROOM_OPENED, null, RoomState.OPEN);
    }

    /** Carries a command out; null where the answer is 503. */
    @Nullable
    Verdict execute(Command command, boolean byBatch) {
        if (isStale()) {
            return null;
        }
        ModelSession session = command.session();
        Seat before = session.seat;
        Verdict verdict = decide(command, session);
        if (byBatch && command.kind() == Kind.RENEW) {
            Seat batched = batched(session, command);
            invariants.batchAgrees(batched, verdict);
        }
        write(session, verdict);
        if (command.kind() == Kind.MEDIA && verdict.refusal() == null) {
            session.mediaFailed = command.failed();
        }
        if (command.kind() == Kind.JOIN && verdict.refusal() == null && command.key() != null) {
            session.keys.putIfAbsent(command.key(), verdict.seat().generation());
        }
        invariants.commanded(command, before, verdict, now);
        return verdict;
    }

    private Verdict decide(Command command, ModelSession session) {
        Seat seat = session.seat;
        RoomState room = session.room.state;
        Stage stage = session.room.stage;
        return switch (command.kind()) {
            case JOIN -> join(command, session);
            case RENEW -> SessionRules.renew(seat, room, command.generation(), command.number(), now, stage);
            case SUSPEND -> SessionRules.suspend(seat, room, command.generation(), command.number(), now, stage);
            case LEAVE -> SessionRules.leave(seat, room, command.generation(), now, stage);
            case MEDIA ->
                SessionRules.media(
                        seat, room, command.generation(), command.failed() && !session.mediaFailed, now, stage);
            case REMOVE -> SessionRules.remove(seat, room, command.generation(), now, stage);
        };
    }

    private Verdict join(Command command, ModelSession session) {
        Long made = command.key() == null ? null : session.keys.get(command.key());
        if (made != null) {
            return SessionRules.joinAgain(session.seat, session.room.state, made, now, session.room.stage);
        }
        long others = session.room.sessions.stream()
                .filter(other -> other != session && other.seat.isLive())
                .filter(other -> !session.room.stage.endsLeases()
                        || other.seat.leaseUntil().isAfter(now))
                .count();
        return SessionRules.join(
                session.seat, session.room.state, others >= session.room.places, now, session.room.stage);
    }

    /** The judgement of the renewal batch, which sees no room; null where it leaves the row to the slow path. */
    private @Nullable Seat batched(ModelSession session, Command command) {
        Seat seat = session.seat;
        long counter = command.number() == null ? Seat.NO_COUNTER : command.number();
        boolean plain = seat.generation() == command.generation()
                && seat.state() == SessionState.PRESENT
                && session.roomOpen
                && seat.leaseUntil().isAfter(now)
                && (counter < 0 || counter >= seat.counter());
        if (!plain) {
            return null;
        }
        Instant fresh = now.plus(seat.terms().lease());
        Instant until = seat.leaseUntil().isAfter(fresh) ? seat.leaseUntil() : fresh;
        long highest = Math.max(seat.counter(), counter);
        return new Seat(
                SessionState.PRESENT,
                seat.generation(),
                until,
                now,
                seat.joinedAt(),
                null,
                highest,
                null,
                seat.terms(),
                seat.lapseTold());
    }

    /** A sweep's first transaction: forgives an outage, writes the beat. */
    Moment advance() {
        Moment moment = moment();
        if (moment.isAhead()) {
            lengthen(Instant.MIN, false);
            graced = now;
        } else if (moment.isSilent(OUTAGE_LIMIT)) {
            lengthen(beat, true);
            invariants.outageForgiven(beat, now);
            graced = now;
        }
        beat = now;
        return moment();
    }

    private void lengthen(Instant endedAfter, boolean longer) {
        for (ModelRoom room : rooms) {
            for (ModelSession session : room.sessions) {
                Seat seat = session.seat;
                if (seat.isLive() && seat.leaseUntil().isAfter(endedAfter)) {
                    Instant fresh = now.plus(seat.terms().of(seat.state()));
                    if (longer == fresh.isAfter(seat.leaseUntil())) {
                        session.seat = withLease(seat, fresh);
                    }
                }
            }
        }
    }

    private static Seat withLease(Seat seat, Instant until) {
        return new Seat(
                seat.state(),
                seat.generation(),
                until,
                seat.provenAt(),
                seat.joinedAt(),
                seat.suspectAt(),
                seat.counter(),
                seat.ending(),
                seat.terms(),
                seat.lapseTold());
    }

    /** An operator changes the stage of the room's team; who enters leases gets a fresh one, in the same transaction. */
    void changeStage(ModelRoom room, Stage stage) {
        boolean entersLeases = stage.endsLeases() && !room.stage.endsLeases();
        room.stage = stage;
        room.stageSince = now;
        invariants.count("stage " + stage.wire());
        if (entersLeases) {
            for (ModelSession session : room.sessions) {
                Seat seat = session.seat;
                Instant fresh = now.plus(seat.terms().of(seat.state()));
                if (seat.isLive() && fresh.isAfter(seat.leaseUntil())) {
                    session.seat = withLease(seat, fresh);
                }
            }
        }
    }

    /** A sweep's search for rooms with work, without locks. */
    List<ModelRoom> due(Moment written) {
        List<ModelRoom> due = new ArrayList<>();
        for (ModelRoom room : rooms) {
            if (room.state == RoomState.OPEN
                    && room.sessions.stream().anyMatch(session -> isDue(session.seat, written, room.stage))) {
                due.add(room);
            }
        }
        return due;
    }

    private static boolean isDue(Seat seat, Moment written, Stage stage) {
        if (!seat.isLive()) {
            return false;
        }
        Instant proven = seat.provenAt().isAfter(written.graced()) ? seat.provenAt() : written.graced();
        boolean silent = seat.state() == SessionState.PRESENT
                && Duration.between(proven, written.now())
                                .compareTo(seat.terms().heartbeat().multipliedBy(2))
                        > 0;
        boolean untold = stage.endsLeases() || !seat.lapseTold();
        return silent || (untold && !seat.leaseUntil().isAfter(written.now()));
    }

    /** A sweep's transaction on one room, however long after its beat. */
    void sweep(ModelRoom room, Moment written) {
        if (room.state != RoomState.OPEN) {
            return;
        }
        Moment judged = written.notAfter(now);
        for (ModelSession session : room.sessions) {
            if (session.seat.isLive()) {
                Verdict verdict = SweepRules.judge(session.seat, judged, room.stage);
                if (verdict.transitions().stream().anyMatch(told -> told.type() == EventType.PARTICIPANT_SUSPECTED)) {
                    invariants.doubted(session.seat, judged);
                }
                write(session, verdict);
                invariants.swept(session, isDue(session.seat, judged, room.stage));
            }
        }
    }

    void beginClosing(ModelRoom room) {
        if (room.state == RoomState.OPEN) {
            room.state = RoomState.CLOSING;
            room.closingAt = now;
            invariants.roomTold(room, ++room.seq, EventType.ROOM_CLOSING, RoomState.OPEN, RoomState.CLOSING);
            room.sessions.stream()
                    .filter(session -> session.seat.isLive())
                    .forEach(session -> session.roomOpen = false);
        }
    }

    void endLeases(ModelRoom room) {
        if (room.state == RoomState.CLOSING) {
            boolean mayExpire = !isStale();
            for (ModelSession session : room.sessions) {
                if (session.seat.isLive()) {
                    write(session, SessionRules.roomCloses(session.seat, mayExpire, now, room.stage));
                }
            }
        }
    }

    void finishClosing(ModelRoom room) {
        if (room.state == RoomState.CLOSING) {
            room.state = RoomState.CLOSED;
            invariants.roomTold(room, ++room.seq, EventType.ROOM_CLOSED, RoomState.CLOSING, RoomState.CLOSED);
        }
    }

    List<ModelRoom> abandoned() {
        return rooms.stream()
                .filter(room -> room.state == RoomState.CLOSING)
                .filter(room -> room.closingAt.isBefore(now.minus(CLOSE_RECOVERY)))
                .toList();
    }

    private void write(ModelSession session, Verdict verdict) {
        Seat before = session.seat;
        if (verdict.seat().generation() != before.generation()) {
            session.mediaFailed = false;
        }
        session.seat = verdict.seat();
        for (Transition told : verdict.transitions()) {
            invariants.told(session, ++session.room.seq, told, before, moment());
        }
    }
}
