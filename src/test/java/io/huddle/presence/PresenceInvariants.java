package io.huddle.presence;

import static io.huddle.presence.SessionState.ABSENT;
import static io.huddle.presence.SessionState.PRESENT;
import static io.huddle.presence.SessionState.SUSPECT;
import static io.huddle.presence.SessionState.SUSPENDED;

import io.huddle.event.EventType;
import io.huddle.presence.ModelStore.Command;
import io.huddle.presence.ModelStore.Kind;
import io.huddle.presence.ModelStore.ModelRoom;
import io.huddle.presence.ModelStore.ModelSession;
import io.huddle.presence.Verdict.Transition;
import io.huddle.room.RoomState;
import io.huddle.web.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the page on rooms and presence promises, kept in its own books: what was told of each session and room, and
 * nothing that the rules say of themselves. Every method fails with a sentence where the promise is broken.
 */
final class PresenceInvariants {
    static final Duration CONVERGENCE = Duration.ofSeconds(1);

    private static final int OUTAGES_KEPT = 16;

    private final Map<ModelSession, Book> sessions = new HashMap<>();
    private final Map<ModelRoom, RoomBook> rooms = new HashMap<>();
    private final Deque<Outage> outages = new ArrayDeque<>();
    private final Map<String, Long> counts = new TreeMap<>();

    /** What a consumer knows of a session that has seen every event. */
    private static final class Book {
        SessionState state = ABSENT;
        long generation;
        long ended;
        /** The generation of which a lapse was told that was not applied. */
        long lapsed;
    }

    private static final class RoomBook {
        @Nullable
        RoomState state;

        long seq;
    }

    private record Outage(Instant beat, Instant forgiven) {}

    /** How often what happened: a run in which something never did proves nothing of it. */
    Map<String, Long> counts() {
        return counts;
    }

    void forget(ModelRoom room) {
        rooms.remove(room);
        room.sessions.forEach(sessions::remove);
    }

    void clockSteppedBack() {
        outages.clear();
        count("clock stepped back");
    }

    void outageForgiven(Instant beat, Instant forgiven) {
        outages.addLast(new Outage(beat, forgiven));
        if (outages.size() > OUTAGES_KEPT) {
            outages.removeFirst();
        }
        count("outage forgiven");
    }

    void roomTold(ModelRoom room, long seq, EventType type, @Nullable RoomState prior, RoomState next) {
        RoomBook book = rooms.computeIfAbsent(room, fresh -> new RoomBook());
        numbered(room, book, seq);
        check(book.state == prior, "%s tells prior %s, but was told to be %s", type, prior, book.state);
        book.state = next;
        count(type.wire());
    }

    void told(ModelSession session, long seq, Transition told, Seat before, Moment moment) {
        numbered(session.room, rooms.computeIfAbsent(session.room, fresh -> new RoomBook()), seq);
        Book book = book(session);
        check(told.prior() == book.state, "%s tells prior %s, but was told to be %s", told, told.prior(), book.state);
        if (told.shadow()) {
            shadow(session, book, told, before, moment);
            return;
        }
        boolean joins = told.type() == EventType.PARTICIPANT_JOINED || told.type() == EventType.PARTICIPANT_RECONNECTED;
        check(told.generation() == book.generation + (joins ? 1 : 0), "%s after generation %s", told, book.generation);
        check(told.next() != told.prior() || joins, "%s changes nothing", told);
        check(isNamedRight(told), "%s has the wrong name for its states", told);
        if (joins) {
            check(session.room.state == RoomState.OPEN, "%s in %s", told, session.room);
        }
        if (told.next() == ABSENT) {
            check(book.ended < told.generation(), "%s, but generation %s has ended before", told, book.ended);
            book.ended = told.generation();
        }
        if (told.type() == EventType.PARTICIPANT_EXPIRED) {
            check(session.room.stage.endsLeases(), "%s, in %s", told, session.room);
            expired(before, moment);
        }
        book.state = told.next();
        book.generation = told.generation();
        count(told.type().wire());
    }

    /** Told once a generation, only before leases decide, and nothing follows from it. */
    private void shadow(ModelSession session, Book book, Transition told, Seat before, Moment moment) {
        check(told.type() == EventType.PARTICIPANT_EXPIRED && told.next() == ABSENT, "%s is told as a shadow", told);
        check(!session.room.stage.endsLeases(), "%s is told as a shadow in %s", told, session.room);
        check(told.generation() == book.generation, "%s after generation %s", told, book.generation);
        check(book.lapsed < told.generation(), "%s is told of generation %s again", told, book.lapsed);
        expired(before, moment);
        book.lapsed = told.generation();
        count(told.type().wire() + " shadow");
    }

    private static boolean isNamedRight(Transition told) {
        return switch (told.type()) {
            case PARTICIPANT_JOINED -> told.prior() == ABSENT && told.next() == PRESENT;
            case PARTICIPANT_RECONNECTED -> told.prior() != ABSENT && told.next() == PRESENT;
            case PARTICIPANT_SUSPECTED -> told.prior() == PRESENT && told.next() == SUSPECT && told.reason() != null;
            case PARTICIPANT_RECOVERED ->
                (told.prior() == SUSPECT || told.prior() == SUSPENDED) && told.next() == PRESENT;
            case PARTICIPANT_SUSPENDED ->
                (told.prior() == PRESENT || told.prior() == SUSPECT) && told.next() == SUSPENDED;
            case PARTICIPANT_LEFT, PARTICIPANT_EXPIRED -> told.prior() != ABSENT && told.next() == ABSENT;
            case PARTICIPANT_REMOVED -> told.prior() != ABSENT && told.next() == ABSENT && told.reason() != null;
            case ROOM_OPENED, ROOM_CLOSING, ROOM_CLOSED -> false;
        };
    }

    private void expired(Seat before, Moment moment) {
        check(
                !before.leaseUntil().isAfter(moment.now()),
                "expired by %s with a lease until %s",
                moment,
                before.leaseUntil());
        check(
                !moment.isStale(ModelStore.OUTAGE_LIMIT) || !before.leaseUntil().isAfter(moment.beat()),
                "expired while nobody may judge, %s: %s",
                moment,
                before);
        for (Outage outage : outages) {
            check(
                    !before.leaseUntil().isAfter(outage.beat)
                            || before.leaseUntil().isAfter(outage.forgiven),
                    "expired for a lease until %s, inside of the forgiven %s",
                    before.leaseUntil(),
                    outage);
        }
    }

    /** After a command was judged and written. */
    void commanded(Command command, Seat before, Verdict verdict, Instant now) {
        Refusal refusal = verdict.refusal();
        count(command.kind() + " " + (refusal == null ? "accepted" : refusal.slug()));
        Book book = book(command.session());
        boolean lapsed = before.isLive() && !before.leaseUntil().isAfter(now);
        RoomState room = command.session().room.state;
        if (refusal != null) {
            check(verdict.seat().generation() == before.generation(), "%s was refused and made a generation", command);
            check(
                    verdict.seat().equals(before) || (lapsed && verdict.seat().ending() == Ending.EXPIRED),
                    "%s was refused as %s and changed %s into %s",
                    command,
                    refusal,
                    before,
                    verdict.seat());
            return;
        }
        if (command.kind() == Kind.JOIN) {
            check(room == RoomState.OPEN, "%s was accepted by %s", command, command.session().room);
            check(verdict.seat().state() == PRESENT, "%s was accepted and led to %s", command, verdict.seat());
            check(
                    !lapsed || !command.session().room.stage.endsLeases() || book.ended == before.generation(),
                    "%s took over from one that had expired: %s",
                    command,
                    before);
            return;
        }
        boolean fenced = command.session().room.stage.fencesGenerations() || command.kind() == Kind.REMOVE;
        check(
                command.generation() == book.generation || !fenced,
                "%s was accepted, generation is %s",
                command,
                book.generation);
        if (command.generation() != book.generation) {
            count(command.kind() + " of another generation");
        }
        if (lapsed) {
            count(command.kind() + " of a lapsed lease");
        }
        accepted(command, before, verdict.seat(), lapsed, now);
    }

    private void accepted(Command command, Seat before, Seat after, boolean lapsed, Instant now) {
        boolean leaves = command.kind() == Kind.LEAVE || command.kind() == Kind.REMOVE;
        check(
                leaves
                        || (before.isLive()
                                && !(lapsed && command.session().room.stage.endsLeases())),
                "%s was accepted though the lease had ended: %s",
                command,
                before);
        Long number = command.number();
        boolean late = number != null && number < before.counter() && command.generation() == before.generation();
        Instant fresh = now.plus(before.terms().lease());
        if (leaves) {
            check(after.state() == ABSENT, "%s was accepted and left %s", command, after);
        } else if (late) {
            check(after.equals(before), "%s was late and changed %s into %s", command, before, after);
        } else if (command.kind() == Kind.SUSPEND) {
            check(after.state() == SUSPENDED, "%s was accepted and left %s", command, after);
            check(
                    after.leaseUntil().equals(now.plus(before.terms().suspendedLease())),
                    "%s gave a lease until %s",
                    command,
                    after.leaseUntil());
        } else if (command.kind() == Kind.RENEW) {
            check(after.state() == PRESENT && after.provenAt().equals(now), "%s left %s", command, after);
            boolean keeps = before.state() != SUSPENDED && before.leaseUntil().isAfter(fresh);
            check(
                    after.leaseUntil().equals(keeps ? before.leaseUntil() : fresh),
                    "%s made of a lease until %s one until %s",
                    command,
                    before.leaseUntil(),
                    after.leaseUntil());
        } else {
            check(after.leaseUntil().equals(before.leaseUntil()), "%s touched the lease: %s", command, after);
        }
    }

    void batchAgrees(@Nullable Seat batched, Verdict verdict) {
        if (batched != null) {
            check(
                    verdict.refusal() == null
                            && verdict.transitions().isEmpty()
                            && verdict.seat().equals(batched),
                    "the renewal batch writes %s and the rules say %s",
                    batched,
                    verdict);
            count("renewed by batch");
        }
    }

    /** Judged as of the beat that the sweep wrote, even where its transaction comes much later. */
    void doubted(Seat before, Moment written) {
        Instant patience = written.now().minus(before.terms().heartbeat().multipliedBy(2));
        check(before.provenAt().isBefore(patience), "doubted as of %s: %s", written, before);
        check(written.graced().isBefore(patience), "doubted for an outage as of %s: %s", written, before);
    }

    void swept(ModelSession session, boolean isDue) {
        check(!isDue, "a sweep left work behind: %s %s", session, session.seat);
    }

    /**
     * After every step, over all rooms.
     *
     * @param reachable since when sweeps could run again; null while they cannot
     */
    void afterStep(List<ModelRoom> all, Instant now, @Nullable Instant reachable) {
        for (ModelRoom room : all) {
            for (ModelSession session : room.sessions) {
                Seat seat = session.seat;
                Book book = book(session);
                check(
                        seat.state() == book.state && seat.generation() == book.generation,
                        "%s was told to be %s in generation %s and is %s",
                        session,
                        book.state,
                        book.generation,
                        seat);
                if (seat.isLive()) {
                    check(room.state != RoomState.CLOSED, "%s is in a closed room: %s", session, seat);
                    check(session.roomOpen == (room.state == RoomState.OPEN), "%s is not fenced", session);
                    boolean isTold = !room.stage.endsLeases() && book.lapsed == seat.generation();
                    if (room.state == RoomState.OPEN && reachable != null && !isTold) {
                        Instant since = later(later(seat.leaseUntil(), reachable), room.stageSince);
                        check(
                                !since.plus(CONVERGENCE).isBefore(now),
                                "%s is still not expired at %s: %s",
                                session,
                                now,
                                seat);
                    }
                }
            }
        }
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private void numbered(ModelRoom room, RoomBook book, long seq) {
        check(seq == book.seq + 1, "%s: number %s after %s", room, seq, book.seq);
        book.seq = seq;
    }

    private Book book(ModelSession session) {
        return sessions.computeIfAbsent(session, fresh -> new Book());
    }

    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }

    /** Formats only when broken: the annotation that the compiler asks for is not on the class path. */
    @SuppressWarnings("AnnotateFormatMethod")
    private static void check(boolean holds, String sentence, @Nullable Object... facts) {
        if (!holds) {
            throw new AssertionError(String.format(sentence, facts));
        }
    }
}
