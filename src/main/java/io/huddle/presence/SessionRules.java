package io.huddle.presence;

import io.huddle.presence.SessionLifecycle.Lease;
import io.huddle.presence.SessionLifecycle.Rule;
import io.huddle.presence.Verdict.Transition;
import io.huddle.rollout.Stage;
import io.huddle.room.RoomState;
import io.huddle.web.Refusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what to a session, and what becomes of it. Pure: the seat, the room's state, the time and the rollout stage are
 * arguments, and the time is one that was read after the locks.
 *
 * <p>In a stage that does not fence generations a command of any generation is taken for one of the current; in a stage
 * that does not end leases one that has run out is told of once, as a shadow, and goes on. A retry of a join and the removal
 * by an operator name one generation in every stage: there the number says which, and not who.
 *
 * <p>Refusals are judged in one order everywhere: stale generation, room closing or closed, lease expired, session ended
 * otherwise. Source: the page on rooms and presence.
 */
final class SessionRules {
    private SessionRules() {}

    /**
     * A join that is no retry: the next generation. An expiry that is due is written first.
     *
     * @param isFull whether all other places are taken by unexpired leases
     */
    static Verdict join(Seat seat, RoomState room, boolean isFull, Instant now, Stage stage) {
        Refusal closed = closed(room);
        if (closed != null) {
            return Verdict.refused(seat, closed);
        }
        Verdict settled = due(seat, now, stage);
        if (isFull && !settled.seat().isLive()) {
            return new Verdict(settled.seat(), settled.transitions(), Refusal.ROOM_FULL);
        }
        Seat before = settled.seat();
        Rule rule = rule(before, Trigger.JOIN);
        Seat joined = new Seat(
                rule.next(),
                before.generation() + 1,
                now.plus(before.terms().lease()),
                now,
                before.isLive() ? before.joinedAt() : now,
                null,
                Seat.NO_COUNTER,
                null,
                before.terms());
        List<Transition> told = new ArrayList<>(settled.transitions());
        told.add(transition(rule, before, joined.generation(), null));
        return new Verdict(joined, told, null);
    }

    /** A join again under the key that made {@code generation}: as a renewal, but an ended session stays ended. */
    static Verdict joinAgain(Seat seat, RoomState room, long generation, Instant now, Stage stage) {
        if (generation != seat.generation()) {
            return Verdict.refused(seat, Refusal.STALE_GENERATION);
        }
        Verdict renewed = renew(seat, room, generation, null, now, stage);
        return renewed.refusal() == Refusal.LEASE_EXPIRED
                ? new Verdict(renewed.seat(), renewed.transitions(), Refusal.SESSION_ENDED)
                : renewed;
    }

    static Verdict renew(Seat seat, RoomState room, long generation, @Nullable Long counter, Instant now, Stage stage) {
        return command(seat, room, generation, counter, Trigger.RENEW, now, stage);
    }

    static Verdict suspend(
            Seat seat, RoomState room, long generation, @Nullable Long counter, Instant now, Stage stage) {
        return command(seat, room, generation, counter, Trigger.SUSPEND, now, stage);
    }

    /** Leaving twice is leaving once, also after the room has closed. */
    static Verdict leave(Seat seat, RoomState room, long generation, Instant now, Stage stage) {
        if (generation == seat.generation() && seat.ending() == Ending.LEFT) {
            return Verdict.unchanged(seat);
        }
        Verdict refused = refusal(seat, room, generation, now, stage);
        return refused != null ? refused : applyAfterDue(seat, Trigger.LEAVE, now, null, Ending.LEFT, stage);
    }

    /** An operator ends exactly this generation. */
    static Verdict remove(Seat seat, RoomState room, long generation, Instant now, Stage stage) {
        if (generation == seat.generation() && seat.ending() == Ending.OPERATOR) {
            return Verdict.unchanged(seat);
        }
        if (generation != seat.generation()) {
            return Verdict.refused(seat, Refusal.STALE_GENERATION);
        }
        Verdict refused = refusal(seat, room, generation, now, stage);
        return refused != null
                ? refused
                : applyAfterDue(seat, Trigger.REMOVE, now, Ending.OPERATOR.wire(), Ending.OPERATOR, stage);
    }

    /** A report of media; only the change into failed of a present session has an effect, and never on the lease. */
    static Verdict media(Seat seat, RoomState room, long generation, boolean becameFailed, Instant now, Stage stage) {
        Verdict refused = refusal(seat, room, generation, now, stage);
        if (refused != null) {
            return refused;
        }
        return becameFailed ? doubt(seat, Doubt.MEDIA_FAILED, now) : Verdict.unchanged(seat);
    }

    /** The sweep's judgement: a lease that ended by {@code until} is an expiry. */
    static Verdict expire(Seat seat, Instant until, Stage stage) {
        return due(seat, until, stage);
    }

    /** A present session becomes suspect; any other stays what it is. */
    static Verdict doubt(Seat seat, Doubt reason, Instant now) {
        return doubt(Verdict.unchanged(seat), reason, now);
    }

    /** The same after something else that was judged of the session and did not end it. */
    static Verdict doubt(Verdict before, Doubt reason, Instant now) {
        return SessionLifecycle.rule(before.seat().state(), Trigger.DOUBT) == null
                ? before
                : applyTo(before, Trigger.DOUBT, now, reason.wire(), null);
    }

    /** The room closes: what has run out has expired, the rest is removed. */
    static Verdict roomCloses(Seat seat, boolean mayExpire, Instant now, Stage stage) {
        if (!seat.isLive()) {
            return Verdict.unchanged(seat);
        }
        Verdict due = mayExpire ? due(seat, now, stage) : Verdict.unchanged(seat);
        return due.seat().isLive()
                ? applyTo(due, Trigger.ROOM_CLOSES, now, Ending.ROOM_CLOSED.wire(), Ending.ROOM_CLOSED)
                : due;
    }

    private static Verdict command(
            Seat seat,
            RoomState room,
            long generation,
            @Nullable Long sent,
            Trigger trigger,
            Instant now,
            Stage stage) {
        Verdict refused = refusal(seat, room, generation, now, stage);
        if (refused != null) {
            return refused;
        }
        // The counter of another generation says nothing of this one's order.
        Long counter = generation == seat.generation() ? sent : null;
        if (counter != null && counter < seat.counter()) {
            return Verdict.unchanged(seat);
        }
        Verdict applied = applyAfterDue(seat, trigger, now, null, null, stage);
        Seat after = applied.seat();
        return new Verdict(
                new Seat(
                        after.state(),
                        after.generation(),
                        after.leaseUntil(),
                        now,
                        after.joinedAt(),
                        after.suspectAt(),
                        counter == null ? after.counter() : counter,
                        after.ending(),
                        after.terms(),
                        after.lapseTold()),
                applied.transitions(),
                null);
    }

    /** The stream of this generation ended; what has run out meanwhile is the sweep's to tell. */
    static Verdict streamClosed(Seat seat, RoomState room, long generation, Instant now, Stage stage) {
        return streamLost(seat, room, generation, Doubt.STREAM_CLOSED, now, stage);
    }

    /** The node that had this generation's stream is dead; told once more, it changes nothing. */
    static Verdict nodeLost(Seat seat, RoomState room, long generation, Instant now, Stage stage) {
        return streamLost(seat, room, generation, Doubt.NODE_LOST, now, stage);
    }

    private static Verdict streamLost(
            Seat seat, RoomState room, long generation, Doubt reason, Instant now, Stage stage) {
        if (generation != seat.generation()) {
            return Verdict.refused(seat, Refusal.STALE_GENERATION);
        }
        boolean isOver = closed(room) != null || (stage.endsLeases() && seat.isLapsed(now));
        return isOver ? Verdict.unchanged(seat) : doubt(seat, reason, now);
    }

    /**
     * Why a generation may not act, in the one order; null if it may.
     *
     * @param isLapsed whether the lease of a live session has run out
     * @param ending why an absent session is absent
     */
    static @Nullable Refusal refusal(
            long wanted,
            long current,
            RoomState room,
            boolean isLapsed,
            SessionState state,
            @Nullable Ending ending,
            Stage stage) {
        if (wanted != current && stage.fencesGenerations()) {
            return Refusal.STALE_GENERATION;
        }
        Refusal closed = closed(room);
        if (closed != null) {
            return closed;
        }
        if (isLapsed && stage.endsLeases()) {
            return Refusal.LEASE_EXPIRED;
        }
        if (state == SessionState.ABSENT) {
            return ending == Ending.EXPIRED ? Refusal.LEASE_EXPIRED : Refusal.SESSION_ENDED;
        }
        return null;
    }

    private static @Nullable Verdict refusal(Seat seat, RoomState room, long generation, Instant now, Stage stage) {
        Refusal refusal =
                refusal(generation, seat.generation(), room, seat.isLapsed(now), seat.state(), seat.ending(), stage);
        if (refusal == null) {
            return null;
        }
        // For what has ended already, or is another generation's, or is in a closed room, nothing is due.
        Verdict due = refusal == Refusal.LEASE_EXPIRED ? due(seat, now, stage) : Verdict.unchanged(seat);
        return new Verdict(due.seat(), due.transitions(), refusal);
    }

    private static @Nullable Refusal closed(RoomState room) {
        return switch (room) {
            case OPEN -> null;
            case CLOSING -> Refusal.ROOM_CLOSING;
            case CLOSED -> Refusal.ROOM_CLOSED;
        };
    }

    /** The expiry of a lease that ended by this instant; before leases end anything, only what is told of it, once. */
    private static Verdict due(Seat seat, Instant until, Stage stage) {
        if (!seat.isLapsed(until)) {
            return Verdict.unchanged(seat);
        }
        Verdict expired = apply(seat, Trigger.EXPIRE, until, null, Ending.EXPIRED);
        if (stage.endsLeases()) {
            return expired;
        }
        return seat.lapseTold()
                ? Verdict.unchanged(seat)
                : new Verdict(
                        seat.withLapseTold(),
                        expired.transitions().stream()
                                .map(SessionRules::shadowOf)
                                .toList(),
                        null);
    }

    private static Transition shadowOf(Transition told) {
        return new Transition(told.type(), told.prior(), told.next(), told.generation(), told.reason(), true);
    }

    /** What is due is told first; the caller has seen that it does not end the session. */
    private static Verdict applyAfterDue(
            Seat seat, Trigger trigger, Instant now, @Nullable String reason, @Nullable Ending ending, Stage stage) {
        return applyTo(due(seat, now, stage), trigger, now, reason, ending);
    }

    private static Verdict applyTo(
            Verdict before, Trigger trigger, Instant now, @Nullable String reason, @Nullable Ending ending) {
        Verdict applied = apply(before.seat(), trigger, now, reason, ending);
        if (before.transitions().isEmpty()) {
            return applied;
        }
        List<Transition> told = new ArrayList<>(before.transitions());
        told.addAll(applied.transitions());
        return new Verdict(applied.seat(), told, null);
    }

    private static Verdict apply(
            Seat seat, Trigger trigger, Instant now, @Nullable String reason, @Nullable Ending ending) {
        Rule rule = rule(seat, trigger);
        Seat after = new Seat(
                rule.next(),
                seat.generation(),
                lease(seat, rule.lease(), now),
                seat.provenAt(),
                seat.joinedAt(),
                rule.next() == SessionState.SUSPECT ? now : null,
                seat.counter(),
                ending,
                seat.terms(),
                seat.lapseTold());
        List<Transition> told =
                rule.event() == null ? List.of() : List.of(transition(rule, seat, seat.generation(), reason));
        return new Verdict(after, told, null);
    }

    private static Instant lease(Seat seat, Lease effect, Instant now) {
        Instant before = seat.leaseUntil();
        return switch (effect) {
            case FRESH -> now.plus(seat.terms().lease());
            case LATER -> later(before, now.plus(seat.terms().lease()));
            case SUSPENDED -> now.plus(seat.terms().suspendedLease());
            case UNCHANGED -> before;
            case ENDED -> before.isBefore(now) ? before : now;
        };
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private static Transition transition(Rule rule, Seat before, long generation, @Nullable String reason) {
        return new Transition(
                java.util.Objects.requireNonNull(rule.event()), before.state(), rule.next(), generation, reason);
    }

    private static Rule rule(Seat seat, Trigger trigger) {
        Rule rule = SessionLifecycle.rule(seat.state(), trigger);
        if (rule == null) {
            throw new IllegalStateException("no rule for " + trigger + " of a session that is " + seat.state());
        }
        return rule;
    }
}
