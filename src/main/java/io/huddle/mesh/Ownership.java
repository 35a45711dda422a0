package io.huddle.mesh;

import io.huddle.membership.LeaseGained;
import io.huddle.membership.LeaseLost;
import io.huddle.membership.Membership;
import io.huddle.mesh.Takeover.Outcome;
import io.huddle.mesh.Takeover.Result;
import io.huddle.registry.ClientPage;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.Registration;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.Warrant;
import io.huddle.registry.Written;
import io.huddle.security.Identity;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import io.huddle.stream.ClientActivating;
import io.huddle.stream.ClientConnecting.Rejected;
import io.huddle.stream.ClientReserving;
import io.huddle.stream.ClientStream;
import io.huddle.stream.CloseCause;
import io.huddle.stream.StreamEnded;
import io.huddle.stream.Streams;
import jakarta.annotation.Priority;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.interceptor.Interceptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the registry's records of this node's streams: reserves before a client is greeted, activates, unregisters, and
 * repairs whatever an outage left apart. Safe for use by any thread.
 *
 * <p>Without a lease or with the registry away a participant's stream is admitted all the same, since the database fences
 * its generation, and recorded later; no other client's is. What was not proven to be removed is asked for again until it
 * is, or until this node's number has ended, after which the removal of the dead does it.
 *
 * <p>A SIGKILL costs nothing that was recorded: the number's lease ends, the number is declared dead, and its records go.
 */
@ApplicationScoped
public class Ownership {
    private static final Logger LOG = Logger.getLogger(Ownership.class.getName());
    private static final Duration VALIDITY = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(4);
    private static final Duration TICK = Duration.ofSeconds(1);
    /** Every live stream is compared with the registry within this time. */
    private static final Duration COMPARISON = Duration.ofSeconds(8);

    /** The registry keeps records for a day without it. */
    private static final Duration REFRESH = Duration.ofMinutes(5);

    private static final int AT_ONCE = 128;
    private static final int PAGE = 256;
    /** After those who look at the stream's rights, which is what others have without a word. */
    private static final int LATE = Interceptor.Priority.APPLICATION + 600;

    private final Locks locks = new Locks();
    private final ConcurrentMap<String, Held> held = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Remainder> remainders = new ConcurrentHashMap<>();
    private final AtomicBoolean comparing = new AtomicBoolean();

    @Inject
    private Streams streams;

    @Inject
    private RegistryBackend registry;

    @Inject
    private Membership membership;

    @Inject
    private PeerCalls peers;

    @Inject
    private MeshMetrics metrics;

    @Inject
    private Background background;

    @Inject
    private Event<ClientConnected> connected;

    @Inject
    private Event<ClientDisconnected> disconnected;

    @Resource
    private ManagedExecutorService executor;

    private volatile @Nullable Takeover takeovers;

    /** What this node knows of the record of one of its streams. */
    private static final class Held {
        private final ClientStream stream;
        /** Under which number it is recorded; zero if it is not, as far as is known. */
        private volatile long number;

        private volatile boolean isActive;
        private volatile boolean isStale;
        private volatile boolean told;

        private Held(ClientStream stream) {
            this.stream = stream;
        }
    }

    /** Something that may be in the registry and has to go. */
    private record Remainder(
            String clientId,
            String connectionId,
            @Nullable String claim,
            Warrant made,
            boolean tell,
            @Nullable ClientStream stream) {}

    void start(@Observes DatabaseReady ready) {
        takeovers = new Takeover(
                registry,
                membership,
                new Takeover.Fences(peers::fence, peers::probe),
                (client, claim, warrant) ->
                        leave(new Remainder(client, "claim " + claim, claim, warrant, false, null)));
        background.repeat("the removal of what streams left in the registry", TICK, TICK, this::sweep);
        background.repeat("the refreshing of the registry", REFRESH, REFRESH, this::refresh);
        background.repeat("the comparison of streams with the registry", COMPARISON, COMPARISON, this::compare);
    }

    /** Who owns the client id is settled before the client is greeted. */
    void reserving(@Observes @Priority(LATE) ClientReserving event) {
        ClientStream stream = event.stream();
        locks.alone(stream.clientId(), () -> {
            Held mine = new Held(stream);
            held.put(stream.connectionId(), mine);
            try {
                settle(mine, State.PENDING, stream.handshake().supersede());
                streams.takeOver(stream);
            } catch (RuntimeException turnedAway) {
                held.remove(stream.connectionId(), mine);
                release(mine);
                throw turnedAway;
            }
        });
    }

    /** @throws Rejected if the stream is not to have its id */
    private void settle(Held mine, State state, boolean supersede) {
        ClientStream stream = mine.stream;
        Takeover all = takeovers;
        Result result = all == null ? Result.of(Outcome.UNAVAILABLE) : all.take(registration(stream), state, supersede);
        metrics.claim(result.outcome());
        switch (result.outcome()) {
            case TAKEN -> {
                ClientRecord record = result.record();
                if (record != null) {
                    stream.order(record.order());
                    mine.number = record.node();
                    mine.isActive = record.isActive();
                }
            }
            case NEWER -> throw new Rejected(CloseCause.SUPERSEDED, "a newer connection of the client exists");
            case CONFLICT -> throw new Rejected(CloseCause.CONFLICT, "the client is connected already");
            case AGAIN ->
                throw new Rejected(
                        CloseCause.NO_CAPACITY,
                        "another connection of the client is not proven to have ended; try again");
            case UNAVAILABLE -> {
                if (!(stream.identity() instanceof Identity.Participant)) {
                    throw new Rejected(CloseCause.NO_CAPACITY, "the registry of clients does not answer; try again");
                }
            }
        }
    }

    private static Registration registration(ClientStream stream) {
        if (stream.identity() instanceof Identity.Participant me) {
            String team = stream.attribute(Clients.TEAM);
            return new Registration(
                    stream.clientId(),
                    stream.connectionId(),
                    me.generation(),
                    me.session(),
                    me.generation(),
                    team == null ? List.of() : List.of(team),
                    0,
                    stream.metadata());
        }
        List<String> teams = stream.identity() instanceof Identity.Client key
                ? key.teams().stream().sorted().toList()
                : List.of();
        return new Registration(
                stream.clientId(), stream.connectionId(), stream.order(), null, 0, teams, 0, stream.metadata());
    }

    void activating(@Observes ClientActivating event) {
        Held mine = held.get(event.stream().connectionId());
        Warrant warrant = membership.warrant(VALIDITY).orElse(null);
        if (mine == null || mine.number == 0 || warrant == null || mine.number != warrant.node()) {
            return;
        }
        ClientStream stream = mine.stream;
        Written written =
                answer(registry.activate(warrant, stream.clientId(), stream.connectionId(), stream.metadata()));
        if (written != null && written.isOk()) {
            mine.isActive = true;
            return;
        }
        // Taken by a newer one, or lost with the registry: the comparison tells, and the database fences meanwhile.
        mine.number = 0;
        enlistLater(mine);
    }

    void opened(@Observes io.huddle.stream.ClientConnected event) {
        Held mine = held.get(event.stream().connectionId());
        if (mine != null && mine.isActive) {
            tellConnected(mine);
        }
    }

    /** True if the stream is recorded under this node's present number, as far as is known. */
    boolean isOwner(ClientStream stream) {
        Held mine = held.get(stream.connectionId());
        return mine != null
                && membership
                        .lease()
                        .filter(now -> now.number() == mine.number)
                        .isPresent();
    }

    private void tellConnected(Held mine) {
        if (!mine.told) {
            mine.told = true;
            connected.fire(new ClientConnected(mine.stream));
        }
    }

    void ended(@Observes StreamEnded event) {
        Held mine = held.remove(event.stream().connectionId());
        if (mine != null) {
            release(mine);
        }
    }

    private void release(Held mine) {
        ClientStream stream = mine.stream;
        Warrant warrant = membership.warrant(VALIDITY).orElse(null);
        if (mine.number == 0 || warrant == null || warrant.node() != mine.number) {
            // Nothing of it is recorded under a number that this node still has.
            return;
        }
        Remainder remainder = new Remainder(stream.clientId(), stream.connectionId(), null, warrant, mine.told, stream);
        leave(remainder);
        attempt(remainder);
    }

    private void leave(Remainder remainder) {
        remainders.put(remainder.connectionId(), remainder);
    }

    /** Asks the registry to remove it; what is not proven stays for the next time. */
    private void attempt(Remainder remainder) {
        Optional<Warrant> warrant = membership.warrant(VALIDITY);
        if (warrant.isEmpty()) {
            return;
        }
        if (warrant.get().node() != remainder.made().node()) {
            // The number has ended; everything of it goes when the dead are removed.
            remainders.remove(remainder.connectionId(), remainder);
            return;
        }
        String claim = remainder.claim();
        CompletionStage<Written> asked = claim == null
                ? registry.unregister(warrant.get(), remainder.clientId(), remainder.connectionId(), true)
                : registry.removeClaimResult(remainder.made(), remainder.clientId(), claim);
        var unused = asked.handle((written, failed) -> {
            if (failed == null && isSettled(written, remainder)) {
                remainders.remove(remainder.connectionId(), remainder);
                ClientStream stream = remainder.stream();
                if (stream != null && remainder.tell()) {
                    execute(() -> departed(stream, 0));
                }
            } else if (failed != null) {
                LOG.log(Level.FINE, "a record's removal was not proven", failed);
            }
            return null;
        });
    }

    private static boolean isSettled(Written written, Remainder remainder) {
        return switch (written.status()) {
            case OK, NOT_OWNER -> true;
            // A claim that is over by its own time has no result that could still come.
            case TOO_LATE -> remainder.claim() != null;
            default -> false;
        };
    }

    /** Tells that the client has left, unless it is connected elsewhere or about to be. */
    private void departed(ClientStream stream, int turn) {
        var unused = registry.getClientIncludingPending(stream.clientId()).handle((sight, failed) -> {
            if (failed == null && sight.record() != null) {
                return null;
            }
            boolean isOpen = failed != null || sight.claim() != null;
            if (isOpen && turn < DEPARTURES) {
                CompletableFuture.delayedExecutor(1L << Math.min(turn, 10), TimeUnit.MILLISECONDS, executor)
                        .execute(() -> departed(stream, turn + 1));
            } else {
                execute(() -> disconnected.fire(new ClientDisconnected(stream)));
            }
            return null;
        });
    }

    /** Doubling from a millisecond to a second: longer than a claim stays open. */
    private static final int DEPARTURES = 42;

    private void refresh() {
        membership.warrant(VALIDITY).ifPresent(warrant -> answer(registry.refreshNode(warrant)));
    }

    private void sweep() {
        remainders.values().forEach(this::attempt);
        for (Held mine : held.values()) {
            if (mine.isStale) {
                mine.isStale = false;
                var unused = synchronise(mine);
            }
        }
    }

    /** This node has a number again: every stream is recorded under it. */
    void gained(@Observes LeaseGained event) {
        execute(this::compare);
    }

    void lost(@Observes LeaseLost event) {
        LOG.log(
                Level.WARNING,
                "the lease of node {0} can not be proven: clients keep their streams, calls are refused",
                Long.toString(event.lease().number()));
    }

    /** Brings records and live streams together. One run at a time. */
    private void compare() {
        Warrant warrant = membership.warrant(VALIDITY).orElse(null);
        if (warrant == null || !comparing.compareAndSet(false, true)) {
            return;
        }
        try {
            Set<String> recorded = recorded(warrant.node());
            if (recorded == null) {
                return;
            }
            List<CompletionStage<?>> underWay = new ArrayList<>();
            for (Held mine : held.values()) {
                boolean isMissing = !recorded.contains(mine.stream.connectionId()) || mine.number != warrant.node();
                if (isMissing && mine.stream.isPublic()) {
                    underWay.add(enlist(mine));
                }
                if (underWay.size() == AT_ONCE) {
                    awaitAll(underWay);
                }
            }
            awaitAll(underWay);
        } finally {
            comparing.set(false);
        }
    }

    /** The connections that the registry has for this node; what has no stream here is removed. Null without an answer. */
    private @Nullable Set<String> recorded(long number) {
        Set<String> recorded = new HashSet<>();
        String cursor = "";
        while (cursor != null) {
            ClientPage page = answer(registry.listRecordsOfNode(number, cursor, PAGE));
            if (page == null) {
                return null;
            }
            for (ClientRecord record : page.clients()) {
                recorded.add(record.connectionId());
                Warrant warrant = membership.warrant(VALIDITY).orElse(null);
                boolean isHere = held.containsKey(record.connectionId())
                        || streams.find(record.clientId(), record.connectionId())
                                .isPresent();
                if (!isHere && warrant != null) {
                    Remainder left =
                            new Remainder(record.clientId(), record.connectionId(), null, warrant, false, null);
                    leave(left);
                    attempt(left);
                }
            }
            cursor = page.next();
        }
        return recorded;
    }

    private void enlistLater(Held mine) {
        execute(() -> {
            var unused = enlist(mine);
        });
    }

    /** Records a live stream; one that turns out to be older than another's is closed. */
    private CompletionStage<?> enlist(Held mine) {
        ClientStream stream = mine.stream;
        Warrant warrant = membership.warrant(VALIDITY).orElse(null);
        boolean isBeingRemoved =
                remainders.values().stream().anyMatch(left -> left.clientId().equals(stream.clientId()));
        if (warrant == null || isBeingRemoved || stream.isDead()) {
            return CompletableFuture.completedFuture(null);
        }
        return registry.register(warrant, registration(stream)).handle((written, failed) -> {
            if (failed != null) {
                LOG.log(Level.FINE, "a stream was not recorded; the next comparison follows", failed);
                return null;
            }
            ClientRecord record = written.record();
            switch (written.status()) {
                case OK -> {
                    mine.number = warrant.node();
                    mine.isActive = true;
                    if (record != null) {
                        stream.order(record.order());
                    }
                    finish(mine);
                }
                case NEWER_EXISTS -> stream.close(CloseCause.SUPERSEDED, "a newer connection of the client exists");
                case CONFLICT -> execute(() -> locks.alone(stream.clientId(), () -> contend(mine, record)));
                case OTHER_EPOCH, WRITER_DEAD -> membership.doubt();
                case CORRUPT, TOO_LATE, NOT_OWNER -> LOG.fine("a stream was not recorded");
            }
            return null;
        });
    }

    /** Another connection is recorded that is not newer: the greater connection id breaks the tie of equal orders. */
    private void contend(Held mine, @Nullable ClientRecord other) {
        ClientStream stream = mine.stream;
        if (stream.isDead()) {
            return;
        }
        boolean mineIsGreater = other == null || stream.connectionId().compareTo(other.connectionId()) > 0;
        try {
            settle(mine, State.ACTIVE, mineIsGreater);
            finish(mine);
        } catch (Rejected rejected) {
            if (rejected.cause() == CloseCause.SUPERSEDED || rejected.cause() == CloseCause.CONFLICT) {
                stream.close(CloseCause.SUPERSEDED, "a newer connection of the client exists");
            }
        }
    }

    /** A stream that ended while it was being recorded leaves nothing. */
    private void finish(Held mine) {
        if (!held.containsKey(mine.stream.connectionId())) {
            release(mine);
        } else if (mine.isActive && mine.stream.isPublic()) {
            execute(() -> tellConnected(mine));
        }
    }

    /**
     * Writes the stream's metadata to the registry.
     *
     * @return true if it is there; false if it is not yet, which is made good later
     */
    CompletionStage<Boolean> synchronise(ClientStream stream) {
        Held mine = held.get(stream.connectionId());
        return mine == null ? CompletableFuture.completedFuture(false) : synchronise(mine);
    }

    private CompletionStage<Boolean> synchronise(Held mine) {
        ClientStream stream = mine.stream;
        Warrant warrant = membership.warrant(VALIDITY).orElse(null);
        if (warrant == null || mine.number != warrant.node()) {
            // Recording it will write the metadata, too.
            return CompletableFuture.completedFuture(false);
        }
        return write(warrant, stream, stream.metadata()).thenApply(isWritten -> {
            mine.isStale |= !isWritten;
            return isWritten;
        });
    }

    /** Replaces the recorded metadata, if this connection still owns the record. */
    CompletionStage<Boolean> write(Warrant warrant, ClientStream stream, String metadata) {
        return registry.updateMetadata(warrant, stream.clientId(), stream.connectionId(), metadata)
                .handle((written, failed) -> failed == null && written.isOk());
    }

    /** The answer, or null if none comes in time. */
    private static <T> @Nullable T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return null;
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException away) {
            LOG.log(Level.FINE, "the registry did not answer", away);
            return null;
        }
    }

    private static void awaitAll(List<CompletionStage<?>> underWay) {
        for (CompletionStage<?> one : underWay) {
            answer(one);
        }
        underWay.clear();
    }

    /** While the server stops, its executor takes no more: the work is done by whoever brings it. */
    private void execute(Runnable work) {
        try {
            executor.execute(work);
        } catch (RejectedExecutionException full) {
            LOG.log(Level.FINE, "the executor takes no more", full);
            work.run();
        }
    }
}
