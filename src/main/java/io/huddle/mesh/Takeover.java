package io.huddle.mesh;

import io.huddle.membership.Membership;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Takes a client id over in two phases: a private claim, the fence of the exact old connection, the commit. Stateless; its
 * methods block, so call them on threads that may.
 *
 * <p>Until the commit the old connection is the owner that everybody sees. What cannot be proven is refused as
 * {@link Outcome#AGAIN} and what may have been left in the registry is told to {@link Remainders}. A SIGKILL between any two
 * steps leaves a claim that lapses after 30 s, or a record of a number that will be declared dead.
 */
final class Takeover {
    private static final Logger LOG = Logger.getLogger(Takeover.class.getName());

    /** A takeover that takes longer is refused as retryable. */
    static final Duration PATIENCE = Duration.ofSeconds(8);

    private static final Duration VALIDITY = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = 10_000_000;
    private static final int TURNS = 4;
    private static final int COMMITS = 3;

    private final RegistryBackend registry;
    private final Membership lease;
    private final Fences fences;
    private final Remainders remainders;

    /**
     * Ends, or looks at, one exact connection on its node; both block until the deadline at most.
     *
     * @param fence ends it
     * @param probe asks whether it lives
     */
    record Fences(
            BiFunction<ClientRecord, Duration, Standing> fence, BiFunction<ClientRecord, Duration, Standing> probe) {}

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

    /** Takes what may be left in the registry and has to go. */
    @FunctionalInterface
    interface Remainders {
        void claim(String clientId, String claim, Warrant warrant);
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

    Takeover(RegistryBackend registry, Membership lease, Fences fences, Remainders remainders) {
        this.registry = registry;
        this.lease = lease;
        this.fences = fences;
        this.remainders = remainders;
    }

    /**
     * Makes the connection the owner of its client id.
     *
     * @param supersede true if a live connection of the same order is to make way
     */
    Result take(Registration registration, State state, boolean supersede) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        try {
            Optional<Warrant> warrant = lease.warrant(VALIDITY);
            if (warrant.isEmpty()) {
                return Result.of(Outcome.UNAVAILABLE);
            }
            Written written = within(
                    until,
                    state == State.PENDING
                            ? registry.reserve(warrant.get(), registration)
                            : registry.register(warrant.get(), registration));
            return switch (written.status()) {
                case OK -> new Result(Outcome.TAKEN, written.record());
                case NEWER_EXISTS -> Result.of(Outcome.NEWER);
                case CONFLICT, CORRUPT -> claim(registration, state, supersede, written.record(), until);
                case OTHER_EPOCH, WRITER_DEAD -> doubted();
                case TOO_LATE, NOT_OWNER -> Result.of(Outcome.UNAVAILABLE);
            };
        } catch (RegistryUnavailable away) {
            LOG.log(Level.FINE, "a client id was not taken over", away);
            return Result.of(Outcome.UNAVAILABLE);
        }
    }

    private Result doubted() {
        lease.doubt();
        return Result.of(Outcome.UNAVAILABLE);
    }

    /** What is proven of the connection in the way. */
    private record Proof(@Nullable String goneMark, long deadNode) {
        static final Proof NONE = new Proof(null, 0);
    }

    private Result claim(
            Registration registration, State state, boolean supersede, @Nullable ClientRecord seen, long until) {
        Proof proof = seen == null ? Proof.NONE : proof(seen, until);
        for (int turn = 0; turn < TURNS && System.nanoTime() < until; turn++) {
            Optional<Warrant> warrant = lease.warrant(VALIDITY);
            if (warrant.isEmpty()) {
                return Result.of(Outcome.UNAVAILABLE);
            }
            ClaimRequest request = new ClaimRequest(registration, state, supersede, proof.goneMark(), proof.deadNode());
            Claimed claimed = patiently(until, () -> registry.claim(warrant.get(), request));
            ClientRecord previous = claimed.previous();
            switch (claimed.status()) {
                case CLAIMED -> {
                    Result result = fenceAndCommit(warrant.get(), registration.clientId(), claimed, until);
                    if (result != null) {
                        return result;
                    }
                    // Once more if its node has died meanwhile, with the proof.
                    proof = previous == null ? Proof.NONE : proof(previous, until);
                    if (proof.deadNode() == 0) {
                        return Result.of(Outcome.AGAIN);
                    }
                }
                case CONFLICT -> {
                    if (previous == null) {
                        return Result.of(Outcome.AGAIN);
                    }
                    proof = proof(previous, until);
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
                    if (claimed.busyNode() == 0 || !within(until, lease.isGone(claimed.busyNode()))) {
                        return Result.of(Outcome.AGAIN);
                    }
                    proof = new Proof(proof.goneMark(), claimed.busyNode());
                }
                case NEWER_EXISTS -> {
                    return Result.of(Outcome.NEWER);
                }
                case OTHER_EPOCH, WRITER_DEAD -> {
                    return doubted();
                }
                case TOO_LATE, CORRUPT -> {
                    return Result.of(Outcome.AGAIN);
                }
            }
        }
        return Result.of(Outcome.AGAIN);
    }

    /** True for a record of this process under a number that it has given up. */
    private boolean isOwnPast(ClientRecord record) {
        return record.process().equals(lease.process())
                && lease.lease().filter(now -> now.number() != record.node()).isPresent();
    }

    private Proof proof(ClientRecord record, long until) {
        if (isOwnPast(record)) {
            // An earlier number of this process: nothing writes for it any more, and what lived on lives under the new
            // one.
            return new Proof(record.mark(), 0);
        }
        if (within(until, lease.node(record.node())).isPresent()) {
            return Proof.NONE;
        }
        return within(until, lease.isGone(record.node())) ? new Proof(record.mark(), record.node()) : Proof.NONE;
    }

    /** Null if the previous owner's node does not answer; the claim is dropped then. */
    private @Nullable Result fenceAndCommit(Warrant warrant, String client, Claimed claimed, long until) {
        String claim = String.valueOf(claimed.claim());
        ClientRecord previous = claimed.previous();
        boolean settled = false;
        try {
            if (previous != null && !isFenced(previous, until)) {
                Written dropped = within(until, registry.abortClaim(warrant, client, claim));
                settled = dropped.isOk();
                return null;
            }
            Result result = commit(warrant, client, claim, until);
            settled = result.outcome() == Outcome.TAKEN;
            return result;
        } finally {
            if (!settled) {
                remainders.claim(client, claim, warrant);
            }
        }
    }

    private boolean isFenced(ClientRecord previous, long until) {
        while (System.nanoTime() < until) {
            switch (fences.fence().apply(previous, left(until))) {
                case FENCED, GONE -> {
                    return true;
                }
                case LIVE -> {
                    return false;
                }
                case UNREACHABLE -> {
                    return isReplaced(previous, until);
                }
                case UNKNOWN -> {
                    // Its answer was lost, so it is asked again, unless the registry ends the doubt.
                    if (isReplaced(previous, until)) {
                        return true;
                    }
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

    private Result commit(Warrant warrant, String client, String claim, long until) {
        for (int turn = 0; turn < COMMITS; turn++) {
            Committed committed = patiently(until, () -> registry.commitClaim(warrant, client, claim));
            switch (committed.status()) {
                case COMMITTED -> {
                    return new Result(Outcome.TAKEN, committed.record());
                }
                case PREVIOUS_CHANGED -> {
                    // It is fenced: whatever it wrote last, this very generation goes, and no other.
                    Written removed = patiently(until, () -> registry.removeClaimPrevious(warrant, client, claim));
                    if (!removed.isOk()) {
                        return Result.of(Outcome.AGAIN);
                    }
                }
                case OTHER_EPOCH, WRITER_DEAD -> {
                    return doubted();
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

    /** Asks again as long as nobody answers: the same operation, whose effect comes once. */
    private static <T> T patiently(long until, Supplier<CompletionStage<T>> ask) {
        while (true) {
            try {
                return within(until, ask.get());
            } catch (RegistryUnavailable away) {
                if (System.nanoTime() + PAUSE_NANOS >= until) {
                    throw away;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static <T> T within(long until, CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        try {
            return future.get(Math.max(1_000_000, until - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new RegistryUnavailable("interrupted", stopped);
        } catch (TimeoutException late) {
            throw new RegistryUnavailable("no answer in time", late);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RegistryUnavailable away) {
                throw away;
            }
            throw new IllegalStateException(failed.getCause());
        }
    }
}
