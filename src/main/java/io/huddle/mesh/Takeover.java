package io.huddle.mesh;

import io.huddle.membership.Membership.Doubt;
import io.huddle.registry.ClaimRequest;
import io.huddle.registry.Claimed;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.Committed;
import io.huddle.registry.Registration;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.registry.Sight;
import io.huddle.registry.Warrant;
import io.huddle.registry.Written;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Takes a client id over in two phases: a private claim, the fence of the exact old connection, the commit. Stateless; its
 * methods block, so call them on threads that may.
 *
 * <p>Until the commit the old connection is the owner that everybody sees. What cannot be proven is refused as
 * {@link Outcome#AGAIN} or {@link Outcome#UNAVAILABLE}, and every operation that may have left something in the registry is
 * told to {@link Leftovers}. A SIGKILL between any two steps leaves a claim that lapses after 30 s, or a record of a number
 * that will be declared dead.
 *
 * <p>Source: the rules of two-phase takeover.
 */
final class Takeover {
    private static final Logger LOG = Logger.getLogger(Takeover.class.getName());

    /** A takeover that takes longer is refused as retryable. */
    static final Duration PATIENCE = Duration.ofSeconds(8);

    /** Longer than the patience, so that no step of a takeover comes too late by itself. */
    static final Duration VALIDITY = Duration.ofSeconds(10);

    private static final long PAUSE_NANOS = 10_000_000;
    private static final int TURNS = 4;
    private static final int COMMITS = 3;

    private final RegistryBackend registry;
    private final Seat seat;
    private final Fences fences;
    private final Leftovers leftovers;
    private final Duration patience;

    /**
     * Ends, or looks at, connections on their nodes; all block until the deadline at most.
     *
     * @param fence ends one exact connection
     * @param probe asks whether one exact connection lives
     * @param nowhere true if every live node has answered that it has no connection of this client id, the asking one aside
     */
    record Fences(
            BiFunction<ClientRecord, Duration, Standing> fence,
            BiFunction<ClientRecord, Duration, Standing> probe,
            BiPredicate<Registration, Duration> nowhere) {}

    /** What became of the old connection. */
    enum Standing {
        FENCED,
        GONE,
        LIVE,
        /** Its node was not reached: nothing was done. */
        UNREACHABLE,
        /** Its node may have done it and has not said so. */
        UNKNOWN
    }

    /** Takes operations that may have left a claim or a record in the registry, which have to go. */
    @FunctionalInterface
    interface Leftovers {
        void of(Registration registration, Warrant operation);
    }

    /** How it ended. */
    enum Outcome {
        TAKEN,
        /** A newer connection is there. */
        NEWER,
        /** A live connection is there, and was not to make way. */
        CONFLICT,
        /** Nothing definite: to be tried again later. */
        AGAIN,
        /** The registry did not answer, or this node has no lease. */
        UNAVAILABLE
    }

    /** The outcome and, if taken, the record. */
    record Result(Outcome outcome, @Nullable ClientRecord record) {
        static Result of(Outcome outcome) {
            return new Result(outcome, null);
        }
    }

    Takeover(RegistryBackend registry, Seat seat, Fences fences, Leftovers leftovers) {
        this(registry, seat, fences, leftovers, PATIENCE);
    }

    Takeover(RegistryBackend registry, Seat seat, Fences fences, Leftovers leftovers, Duration patience) {
        this.registry = registry;
        this.seat = seat;
        this.fences = fences;
        this.leftovers = leftovers;
        this.patience = patience;
    }

    /**
     * Makes the connection the owner of its client id.
     *
     * @param supersede true if a live connection of the same order is to make way
     */
    Result take(Registration registration, State state, boolean supersede) {
        long until = System.nanoTime() + patience.toNanos();
        Warrant warrant = seat.warrants().next(VALIDITY).orElse(null);
        if (warrant == null) {
            return Result.of(Outcome.UNAVAILABLE);
        }
        Unheard unheard = new Unheard();
        try {
            Written written = register(warrant, registration, state, until, unheard);
            return switch (written.status()) {
                case OK -> taken(warrant, written.record(), unheard);
                case NEWER_EXISTS -> Result.of(Outcome.NEWER);
                case CONFLICT, CORRUPT -> claim(registration, state, supersede, written.record(), until, unheard);
                case OTHER_EPOCH -> doubted(Doubt.OTHER_EPOCH, warrant);
                case WRITER_DEAD -> doubted(Doubt.WRITER_DEAD, warrant);
                case TOO_LATE, NOT_OWNER -> Result.of(Outcome.UNAVAILABLE);
            };
        } catch (RegistryUnavailable away) {
            LOG.log(Level.FINE, "a client id was not taken over", away);
            return Result.of(Outcome.UNAVAILABLE);
        } finally {
            unheard.operations().forEach(operation -> leftovers.of(registration, operation));
        }
    }

    /**
     * Operations of one takeover that may still have their effect: one of their requests went without an answer, also if another
     * request of the same operation was answered, for the first may come after it; or it was refused, and a copy of the
     * request, which whatever lies between makes, may come later.
     */
    private static final class Unheard {
        private final Set<Warrant> operations = ConcurrentHashMap.newKeySet();

        void add(Warrant operation) {
            operations.add(operation);
        }

        <T> CompletionStage<T> of(Warrant operation, CompletionStage<T> asked) {
            return asked.whenComplete((answer, failed) -> {
                if (failed != null) {
                    add(operation);
                }
            });
        }

        /** What this operation made is to stay; a copy of it that arrives late has no second effect. */
        void keep(Warrant operation) {
            operations.remove(operation);
        }

        Set<Warrant> operations() {
            return operations;
        }
    }

    /** Not as patiently as the rest: while nobody answers, participants are admitted without a record and must not wait. */
    private Written register(Warrant warrant, Registration registration, State state, long until, Unheard unheard) {
        Supplier<CompletionStage<Written>> ask = () -> unheard.of(
                warrant,
                state == State.PENDING
                        ? registry.reserve(warrant, registration)
                        : registry.register(warrant, registration));
        boolean answered = false;
        try {
            Written written = within(until, Answers.twice(ask));
            answered = true;
            return written;
        } finally {
            if (!answered) {
                unheard.add(warrant);
            }
        }
    }

    private Result taken(Warrant warrant, @Nullable ClientRecord record, Unheard unheard) {
        // Under a number that has ended meanwhile nothing is owned; what it left goes with the rest of that number.
        if (!seat.has(warrant.node())) {
            return Result.of(Outcome.UNAVAILABLE);
        }
        unheard.keep(warrant);
        return new Result(Outcome.TAKEN, record);
    }

    private Result doubted(Doubt why, Warrant warrant) {
        seat.doubt().accept(why, warrant.node());
        return Result.of(Outcome.UNAVAILABLE);
    }

    /**
     * What is proven of who is in the way.
     *
     * @param goneMark of the record whose connection has ended
     * @param deadNode a number that has ended
     */
    private record Proof(@Nullable String goneMark, long deadNode) {
        static final Proof NONE = new Proof(null, 0);
    }

    private Result claim(
            Registration registration,
            State state,
            boolean supersede,
            @Nullable ClientRecord seen,
            long until,
            Unheard unheard) {
        Proof proof = seen == null ? Proof.NONE : proof(registration, seen, until);
        for (int turn = 0; turn < TURNS && System.nanoTime() < until; turn++) {
            Optional<Warrant> next = seat.warrants().next(VALIDITY);
            if (next.isEmpty()) {
                return Result.of(Outcome.UNAVAILABLE);
            }
            Warrant warrant = next.get();
            long dead = proof.deadNode() == warrant.node() ? 0 : proof.deadNode();
            ClaimRequest request = new ClaimRequest(registration, state, supersede, proof.goneMark(), dead);
            Claimed claimed = open(warrant, request, until, unheard);
            if (claimed.status() != Claimed.Status.CLAIMED) {
                // A copy of it that arrives late may find nobody in the way any more, and nobody would commit or abort
                // that claim.
                unheard.add(warrant);
            }
            ClientRecord previous = claimed.previous();
            switch (claimed.status()) {
                case CLAIMED -> {
                    return fenceAndCommit(warrant, claimed, proof, registration, until, unheard);
                }
                case CONFLICT -> {
                    if (previous == null) {
                        return Result.of(Outcome.AGAIN);
                    }
                    proof = proof(registration, previous, until);
                    if (proof.equals(Proof.NONE)) {
                        Standing standing = fences.probe().apply(previous, left(until));
                        if (standing == Standing.LIVE) {
                            return Result.of(Outcome.CONFLICT);
                        }
                        if (standing != Standing.GONE && standing != Standing.FENCED) {
                            return Result.of(Outcome.AGAIN);
                        }
                        proof = new Proof(previous.mark(), 0);
                    }
                }
                case BUSY -> {
                    if (claimed.busyNode() == 0 || !isGone(claimed.busyNode(), until)) {
                        return Result.of(Outcome.AGAIN);
                    }
                    proof = new Proof(proof.goneMark(), claimed.busyNode());
                }
                case NEWER_EXISTS -> {
                    return Result.of(Outcome.NEWER);
                }
                case OTHER_EPOCH -> {
                    return doubted(Doubt.OTHER_EPOCH, warrant);
                }
                case WRITER_DEAD -> {
                    return doubted(Doubt.WRITER_DEAD, warrant);
                }
                case CORRUPT -> {
                    if (!isRepaired(registration, until)) {
                        return Result.of(Outcome.AGAIN);
                    }
                }
                case TOO_LATE -> {
                    return Result.of(Outcome.AGAIN);
                }
            }
        }
        return Result.of(Outcome.AGAIN);
    }

    private Claimed open(Warrant warrant, ClaimRequest request, long until, Unheard unheard) {
        boolean answered = false;
        try {
            Claimed claimed = patiently(warrant, until, () -> unheard.of(warrant, registry.claim(warrant, request)));
            answered = true;
            return claimed;
        } finally {
            if (!answered) {
                unheard.add(warrant);
            }
        }
    }

    /** A record that nobody can read is nobody's once every live node has said that the client is not there. */
    private boolean isRepaired(Registration registration, long until) {
        if (!fences.nowhere().test(registration, left(until))) {
            return false;
        }
        Warrant warrant = seat.warrants().next(VALIDITY).orElse(null);
        return warrant != null
                && patiently(
                                warrant,
                                until,
                                () -> registry.unregister(
                                        warrant, registration.clientId(), registration.connectionId(), true))
                        .isOk();
    }

    /** True for the record of this very connection under a number that this node had before: there is nobody to fence. */
    private boolean isItself(Registration registration, ClientRecord record) {
        return isOfThisProcess(record) && record.connectionId().equals(registration.connectionId());
    }

    private boolean isOfThisProcess(ClientRecord record) {
        return record.process().equals(seat.process().get());
    }

    private Proof proof(Registration registration, ClientRecord record, long until) {
        if (isItself(registration, record)) {
            return new Proof(record.mark(), 0);
        }
        // A stream of this process outlives the number it was recorded under, so it is looked at and not inferred.
        if (isOfThisProcess(record) || within(until, seat.isMember().apply(record.node()))) {
            return Proof.NONE;
        }
        return isGone(record.node(), until) ? new Proof(record.mark(), record.node()) : Proof.NONE;
    }

    private boolean isGone(long number, long until) {
        return within(until, seat.isGone().apply(number));
    }

    private Result fenceAndCommit(
            Warrant warrant, Claimed claimed, Proof proof, Registration registration, long until, Unheard unheard) {
        String claim = String.valueOf(claimed.claim());
        ClientRecord previous = claimed.previous();
        boolean settled = false;
        try {
            if (previous != null
                    && !previous.mark().equals(proof.goneMark())
                    && !isItself(registration, previous)
                    && !isFenced(previous, until)) {
                return Result.of(Outcome.AGAIN);
            }
            Result result = commit(warrant, registration.clientId(), claim, until, unheard);
            settled = result.outcome() == Outcome.TAKEN;
            return result;
        } finally {
            if (!settled) {
                unheard.add(warrant);
            }
        }
    }

    /** False if the old connection may live; then it is the owner as before. */
    private boolean isFenced(ClientRecord previous, long until) {
        while (System.nanoTime() < until) {
            Standing standing = fences.fence().apply(previous, left(until));
            switch (standing) {
                case FENCED, GONE -> {
                    return true;
                }
                case LIVE -> {
                    return false;
                }
                case UNREACHABLE, UNKNOWN -> {
                    if (isReplaced(previous, until) || (!isOfThisProcess(previous) && isGone(previous.node(), until))) {
                        return true;
                    }
                    if (standing == Standing.UNREACHABLE) {
                        return false;
                    }
                    // Its answer was lost, so it is asked again.
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
        return false;
    }

    private boolean isReplaced(ClientRecord previous, long until) {
        Sight sight = within(until, registry.getClientIncludingPending(previous.clientId()));
        ClientRecord now = sight.record();
        return !sight.corrupt() && (now == null || !now.isSameGeneration(previous));
    }

    private Result commit(Warrant warrant, String client, String claim, long until, Unheard unheard) {
        for (int turn = 0; turn < COMMITS; turn++) {
            Committed committed = patiently(warrant, until, () -> registry.commitClaim(warrant, client, claim));
            switch (committed.status()) {
                case COMMITTED -> {
                    return taken(warrant, committed.record(), unheard);
                }
                case PREVIOUS_CHANGED -> {
                    // It is fenced: whatever it wrote last, this very generation goes, and no other.
                    Written removed =
                            patiently(warrant, until, () -> registry.removeClaimPrevious(warrant, client, claim));
                    if (!removed.isOk()) {
                        return Result.of(Outcome.AGAIN);
                    }
                }
                case OTHER_EPOCH -> {
                    return doubted(Doubt.OTHER_EPOCH, warrant);
                }
                case WRITER_DEAD -> {
                    return doubted(Doubt.WRITER_DEAD, warrant);
                }
                case TOO_LATE, LOST -> {
                    return Result.of(Outcome.AGAIN);
                }
            }
        }
        return Result.of(Outcome.AGAIN);
    }

    private static Duration left(long until) {
        return Duration.ofNanos(Math.max(1_000_000, until - System.nanoTime()));
    }

    /** Asks again as long as nobody answers and the number is this node's: the same operation, whose effect comes once. */
    private <T> T patiently(Warrant warrant, long until, Supplier<CompletionStage<T>> ask) {
        while (true) {
            try {
                return within(until, ask.get());
            } catch (RegistryUnavailable away) {
                if (System.nanoTime() + PAUSE_NANOS >= until
                        || Thread.currentThread().isInterrupted()
                        || !seat.has(warrant.node())) {
                    throw away;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static <T> T within(long until, CompletionStage<T> stage) {
        return Answers.within(left(until), stage);
    }
}
