package io.huddle.mesh;

import io.huddle.mesh.Takeover.Outcome;
import io.huddle.mesh.Takeover.Result;
import io.huddle.registry.ClaimRequest;
import io.huddle.registry.Claimed;
import io.huddle.registry.ClientPage;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.Committed;
import io.huddle.registry.Registration;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.Warrant;
import io.huddle.registry.Written;
import io.huddle.security.Identity;
import io.huddle.stream.ClientConnecting.Rejected;
import io.huddle.stream.ClientReserving;
import io.huddle.stream.ClientStream;
import io.huddle.stream.CloseCause;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The records of this node's streams: made before a client is greeted, activated, removed, and brought back whenever an
 * outage left registry and streams apart. Safe for use by any thread.
 *
 * <p>Without a lease or with the registry away a participant's stream is admitted all the same, since the database fences
 * its generation, and recorded later; no other client's is. One that may have an older connection is greeted when the
 * database's fence has had its time, so that no call is answered through the older one afterwards. Trouble with one client
 * id ends nobody else's stream: what was not proven to be removed is {@link Remainders}' until it is, and as long as it is,
 * that id is not recorded anew.
 *
 * <p>A SIGKILL costs nothing that was recorded: the number's lease ends, the number is declared dead, and its records go.
 */
final class Holdings {
    private static final Logger LOG = Logger.getLogger(Holdings.class.getName());
    private static final Duration VALIDITY = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(4);

    /** How long a connection waits for another of the same client to settle. */
    private static final Duration IN_LINE = Takeover.PATIENCE.plusSeconds(2);

    /** Which has none before it. */
    private static final long FIRST_GENERATION = 1;

    private static final long PAUSE_NANOS = 10_000_000;

    /** When a client that cannot be told yet who owns its id is to ask again. */
    private static final int SOONEST_MS = 2_000;

    private static final int LATEST_MS = 4_000;

    /** Records under way at a time while streams are compared. */
    private static final int AT_ONCE = 128;

    /** Those of them that need another connection's end, each on a thread of its own. */
    private static final int CONTENDING = 16;

    private static final int PAGE = 256;

    private final RegistryBackend registry;
    private final Seat seat;
    private final Here here;
    private final Told told;
    private final Consumer<Outcome> counts;
    private final Executor executor;
    private final Takeover takeovers;
    private final Remainders remainders;
    private final Departures departures;
    private final Turns turns;
    private final Locks locks = new Locks();
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final Semaphore contending = new Semaphore(CONTENDING);
    private final ConcurrentMap<String, Held> held = new ConcurrentHashMap<>();
    private final AtomicBoolean comparing = new AtomicBoolean();
    private volatile boolean due;

    /**
     * The streams of this node.
     *
     * @param isAlive whether a connection, of this client id, lives
     * @param takeOver makes the stream its client's owner here, or throws {@link Rejected}
     */
    record Here(BiPredicate<String, String> isAlive, Consumer<ClientStream> takeOver) {}

    /** Who hears what: one after the other for each client. */
    record Told(Consumer<ClientConnected> connected, Consumer<ClientDisconnected> disconnected) {}

    /** What this node knows of the record of one of its streams. */
    private static final class Held {
        private final ClientStream stream;

        /** Under which number it is recorded; zero if it is not, as far as is known. */
        private volatile long number;

        private volatile long connectedAt;
        private volatile boolean isActive;
        private volatile boolean isStale;

        /** Ended because another took its place: what nobody can read may be the other's. */
        private volatile boolean isSuperseded;

        private final AtomicBoolean announced = new AtomicBoolean();
        private final AtomicBoolean enlisting = new AtomicBoolean();

        /** Only the client's own turn reads and writes it. */
        private boolean wasTold;

        private Held(ClientStream stream) {
            this.stream = stream;
        }

        private void recorded(ClientRecord record) {
            stream.order(record.order());
            connectedAt = record.connectedAt();
            number = record.node();
            isActive = record.isActive();
        }
    }

    Holdings(
            RegistryBackend registry,
            Seat seat,
            Takeover.Fences fences,
            Here here,
            Told told,
            Consumer<Outcome> counts,
            Executor executor) {
        this.registry = registry;
        this.seat = seat;
        this.here = here;
        this.told = told;
        this.counts = counts;
        this.executor = executor;
        this.remainders = new Remainders(registry, seat.warrants());
        this.takeovers = new Takeover(
                registry,
                seat,
                fences,
                (registration, operation) -> remainders.operation(registration.clientId(), operation));
        this.departures = new Departures(registry::getClientIncludingPending, seat.mayDeliver());
        this.turns = new Turns(executor);
    }

    // From the handshake to the end.

    /**
     * Settles who owns the client id, before the client is greeted. Blocks.
     *
     * @throws Rejected if the stream is not to have its id
     */
    void reserving(ClientReserving event) {
        if (!locks.alone(event.stream().clientId(), IN_LINE, () -> reserve(event))) {
            throw later("other connections of the client are being made");
        }
    }

    private void reserve(ClientReserving event) {
        ClientStream stream = event.stream();
        Held mine = new Held(stream);
        held.put(stream.connectionId(), mine);
        try {
            Result result = take(mine, State.PENDING, stream.handshake().supersede());
            judge(event, result.outcome());
            here.takeOver().accept(stream);
        } catch (RuntimeException turnedAway) {
            // Its end may have been told before it had anything to release.
            held.remove(stream.connectionId(), mine);
            release(mine);
            throw turnedAway;
        }
    }

    private Result take(Held mine, State state, boolean supersede) {
        Result result = takeovers.take(registration(mine), state, supersede);
        counts.accept(result.outcome());
        ClientRecord record = result.record();
        if (record != null) {
            mine.recorded(record);
        }
        return result;
    }

    private static void judge(ClientReserving event, Outcome outcome) {
        switch (outcome) {
            case TAKEN -> {}
            case NEWER -> throw new Rejected(CloseCause.SUPERSEDED, "a newer connection of the client exists");
            case CONFLICT -> throw new Rejected(CloseCause.CONFLICT, "the client is connected already");
            case AGAIN -> throw later("another connection of the client is not proven to have ended");
            case UNAVAILABLE -> {
                if (!(event.stream().identity() instanceof Identity.Participant me)) {
                    throw later("the registry of clients does not answer");
                }
                if (me.generation() > FIRST_GENERATION) {
                    // Nobody can be asked to end the older connection, whose node may have its lease and answer calls.
                    event.hold(GenerationFence.WITHIN);
                }
            }
        }
    }

    /**
     * A dead node's clients are all told this for a lease: without a delay of their own they would double it until the
     * last of them came back half a minute after it could have.
     */
    private static Rejected later(String why) {
        int delay = ThreadLocalRandom.current().nextInt(SOONEST_MS, LATEST_MS);
        return new Rejected(CloseCause.NO_CAPACITY, why + "; try again after " + delay + " ms");
    }

    private static Registration registration(Held mine) {
        ClientStream stream = mine.stream;
        if (stream.identity() instanceof Identity.Participant me) {
            return new Registration(
                    stream.clientId(),
                    stream.connectionId(),
                    me.generation(),
                    me.session(),
                    me.generation(),
                    LocalCalls.teams(stream),
                    mine.connectedAt,
                    stream.metadata());
        }
        return new Registration(
                stream.clientId(),
                stream.connectionId(),
                stream.order(),
                null,
                0,
                LocalCalls.teams(stream),
                mine.connectedAt,
                stream.metadata());
    }

    /** Makes the record active, if there is one. Blocks for some seconds at most; what fails is made good later. */
    void activating(ClientStream stream) {
        Held mine = held.get(stream.connectionId());
        Warrant warrant = seat.warrants().next(VALIDITY).orElse(null);
        if (mine == null || mine.number == 0 || warrant == null || mine.number != warrant.node()) {
            return;
        }
        Written written = answer(Answers.twice(
                () -> registry.activate(warrant, stream.clientId(), stream.connectionId(), stream.metadata())));
        if (written != null && written.isOk()) {
            mine.isActive = true;
        } else {
            // Taken by a newer one, or lost with the registry: the next beat tells, and the database fences meanwhile.
            doubtIf(written, warrant);
        }
    }

    private void doubtIf(@Nullable Written written, Warrant warrant) {
        if (written != null) {
            seat.doubtIf(written.status(), warrant);
        }
    }

    /** The stream is public. */
    void opened(ClientStream stream) {
        Held mine = held.get(stream.connectionId());
        if (mine != null && mine.isActive) {
            tellConnected(mine);
        }
    }

    private void tellConnected(Held mine) {
        if (mine.announced.compareAndSet(false, true)) {
            turns.add(mine.stream.clientId(), () -> {
                if (mine.stream.isPublic()) {
                    mine.wasTold = true;
                    told.connected().accept(new ClientConnected(mine.stream));
                }
            });
        }
    }

    private void tellDisconnected(Held mine) {
        turns.add(mine.stream.clientId(), () -> {
            if (mine.wasTold) {
                told.disconnected().accept(new ClientDisconnected(mine.stream));
            }
        });
    }

    /** The stream has ended. */
    void ended(ClientStream stream, CloseCause cause) {
        Held mine = held.get(stream.connectionId());
        if (mine != null) {
            mine.isSuperseded = cause == CloseCause.SUPERSEDED;
            drop(mine);
        }
    }

    private void drop(Held mine) {
        if (held.remove(mine.stream.connectionId(), mine)) {
            release(mine);
        }
    }

    private void release(Held mine) {
        String client = mine.stream.clientId();
        String connection = mine.stream.connectionId();
        Runnable then = mine.announced.get() ? () -> departures.ended(client, () -> tellDisconnected(mine)) : () -> {};
        if (mine.number == 0) {
            then.run();
        } else {
            remainders.connection(client, connection, mine.number, !mine.isSuperseded, then);
        }
    }

    // From time to time.

    /** Goes on with everything that is not finished. To be called every second. */
    void beat() {
        remainders.again();
        departures.again();
        for (Held mine : held.values()) {
            if (mine.isStale) {
                var unused = synchronise(mine);
            }
        }
        if (due) {
            compare();
        } else {
            long number = seat.warrants().next(VALIDITY).map(Warrant::node).orElse(0L);
            held.values().stream()
                    .filter(mine -> !isRecorded(mine, number) && mine.stream.isPublic())
                    .takeWhile(mine -> places.tryAcquire())
                    .forEach(this::enlistAndLeave);
        }
    }

    /** True if the stream is recorded under this number, as far as is known. */
    boolean isRecorded(ClientStream stream, long number) {
        Held mine = held.get(stream.connectionId());
        return mine != null && isRecorded(mine, number);
    }

    private static boolean isRecorded(Held mine, long number) {
        return mine.number == number && mine.isActive;
    }

    /** What is not recorded by it is tried again at every beat. */
    private void enlistAndLeave(Held mine) {
        var unused = enlist(mine).whenComplete((isSettled, failed) -> places.release());
    }

    /** This node has a number again: every stream is recorded under it. */
    void gained() {
        due = true;
        execute(this::compare);
    }

    /** What has to go and is not proven to be gone, by client ids. */
    int leftovers() {
        return remainders.size();
    }

    /** Client ids of which it is not decided yet whether they have left. */
    int undecided() {
        return departures.size();
    }

    /**
     * Waits until nothing of this node's is left in the registry that has to go, its streams having ended.
     *
     * @return false if that was not proven in time
     */
    boolean isHandedBack(Duration patience) {
        long until = System.nanoTime() + patience.toNanos();
        while (!held.isEmpty() || remainders.size() > 0) {
            if (System.nanoTime() >= until || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    /**
     * Brings records and live streams together. Blocks while more than {@value #AT_ONCE} are under way. One run at a time;
     * if the registry gives no answer the next {@link #beat} begins again.
     */
    void compare() {
        Warrant warrant = seat.warrants().next(VALIDITY).orElse(null);
        if (warrant == null || !comparing.compareAndSet(false, true)) {
            return;
        }
        due = false;
        boolean isDone = false;
        try {
            // Whatever is recorded while the listing goes on may not be in it.
            List<Held> before = held.values().stream()
                    .filter(mine -> isRecorded(mine, warrant.node()))
                    .toList();
            Set<String> recorded = recorded(warrant.node());
            if (recorded != null) {
                before.stream()
                        .filter(mine -> mine.stream.isPublic() && !recorded.contains(mine.stream.connectionId()))
                        .forEach(mine -> mine.isActive = false);
                isDone = enlistMissing(warrant.node());
            }
        } finally {
            comparing.set(false);
            due |= !isDone;
        }
    }

    /** @return false if the registry became too slow for all of them to have their turn */
    private boolean enlistMissing(long number) {
        for (Held mine : held.values()) {
            if (!mine.stream.isPublic()) {
                continue;
            }
            if (!isRecorded(mine, number)) {
                if (!isPlaceTaken()) {
                    return false;
                }
                enlistAndLeave(mine);
            }
        }
        return true;
    }

    private boolean isPlaceTaken() {
        try {
            return places.tryAcquire(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
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
                if (!held.containsKey(record.connectionId())
                        && !here.isAlive().test(record.clientId(), record.connectionId())) {
                    remainders.connection(record.clientId(), record.connectionId(), number, false, () -> {});
                }
            }
            cursor = page.next();
        }
        return recorded;
    }

    // Live streams without a record.

    /**
     * Records a live stream; one that turns out to be older than another's is closed.
     *
     * @return true if nothing is left to do; false if the next beat goes on
     */
    private CompletionStage<Boolean> enlist(Held mine) {
        ClientStream stream = mine.stream;
        if (stream.isDead()) {
            return done(true);
        }
        Warrant warrant = seat.warrants().next(VALIDITY).orElse(null);
        if (warrant == null || remainders.has(stream.clientId()) || !mine.enlisting.compareAndSet(false, true)) {
            return done(false);
        }
        Registration registration = registration(mine);
        return registry.register(warrant, registration)
                .thenCompose(written -> enlisted(mine, warrant, registration, written))
                .handle((isSettled, failed) -> {
                    mine.enlisting.set(false);
                    if (failed != null) {
                        LOG.log(Level.FINE, "a stream was not recorded; another try follows", failed);
                        if (!held.containsKey(stream.connectionId())) {
                            remainders.operation(stream.clientId(), warrant);
                        }
                        return false;
                    }
                    return isSettled;
                });
    }

    private CompletionStage<Boolean> enlisted(Held mine, Warrant warrant, Registration registration, Written written) {
        ClientRecord record = written.record();
        return switch (written.status()) {
            case OK -> done(record != null && record(mine, record, registration));
            case NEWER_EXISTS, CONFLICT -> {
                if (record != null && isSame(mine, record)) {
                    yield reclaim(mine, record);
                }
                if (record != null && written.status() == Written.Status.NEWER_EXISTS) {
                    mine.stream.close(CloseCause.SUPERSEDED, "a newer connection of the client exists");
                    yield done(true);
                }
                // An open claim may still come to nothing, and an older connection has to be ended first.
                yield record == null ? done(false) : contend(mine, record);
            }
            case CORRUPT -> repair(mine, warrant);
            case OTHER_EPOCH, WRITER_DEAD -> {
                seat.doubtIf(written.status(), warrant);
                yield done(false);
            }
            case TOO_LATE, NOT_OWNER -> done(false);
        };
    }

    /** True for this very connection's record, under a number that has ended. */
    private boolean isSame(Held mine, ClientRecord record) {
        return record.connectionId().equals(mine.stream.connectionId())
                && record.process().equals(seat.process().get());
    }

    private boolean record(Held mine, ClientRecord record, Registration registration) {
        mine.recorded(record);
        if (!held.containsKey(mine.stream.connectionId())) {
            // It ended while it was being recorded.
            release(mine);
            return true;
        }
        mine.isStale |= !mine.stream.metadata().equals(registration.metadata());
        if (mine.isActive && mine.stream.isPublic()) {
            tellConnected(mine);
        }
        return true;
    }

    /** Moves the record from a number that has ended to the present one; there is nobody to be fenced. */
    private CompletionStage<Boolean> reclaim(Held mine, ClientRecord old) {
        Warrant warrant = seat.warrants().next(VALIDITY).orElse(null);
        if (warrant == null) {
            return done(false);
        }
        String client = mine.stream.clientId();
        Registration registration = registration(mine);
        AtomicBoolean isCommitted = new AtomicBoolean();
        return registry.claim(warrant, new ClaimRequest(registration, State.ACTIVE, false, old.mark(), 0))
                .thenCompose(claimed -> isOwn(mine, claimed)
                        ? registry.commitClaim(warrant, client, String.valueOf(claimed.claim()))
                        : CompletableFuture.completedFuture(Committed.of(Committed.Status.LOST)))
                .thenApply(committed -> {
                    ClientRecord record = committed.record();
                    isCommitted.set(committed.status() == Committed.Status.COMMITTED && record != null);
                    return record != null && isCommitted.get() && record(mine, record, registration);
                })
                .whenComplete((isSettled, failed) -> {
                    if (!isCommitted.get()) {
                        remainders.operation(client, warrant);
                    }
                });
    }

    private boolean isOwn(Held mine, Claimed claimed) {
        ClientRecord previous = claimed.previous();
        return claimed.status() == Claimed.Status.CLAIMED && (previous == null || isSame(mine, previous));
    }

    /** Only whoever wrote the last good record may replace one that nobody can read. */
    private CompletionStage<Boolean> repair(Held mine, Warrant warrant) {
        if (mine.number != warrant.node() || mine.stream.isDead()) {
            return done(false);
        }
        Warrant removal = seat.warrants().next(VALIDITY).orElse(null);
        if (removal == null) {
            return done(false);
        }
        // The beat after finds no record.
        return registry.unregister(removal, mine.stream.clientId(), mine.stream.connectionId(), true)
                .thenApply(written -> false);
    }

    /** Another connection is recorded that is not newer: it is ended first, on a thread that may wait. */
    private CompletionStage<Boolean> contend(Held mine, ClientRecord other) {
        if (!contending.tryAcquire()) {
            return done(false);
        }
        execute(() -> {
            try {
                locks.alone(mine.stream.clientId(), IN_LINE, () -> takeBack(mine, other));
            } finally {
                contending.release();
            }
        });
        // Its result is the next comparison's: others do not wait for it.
        return done(false);
    }

    private void takeBack(Held mine, ClientRecord other) {
        ClientStream stream = mine.stream;
        if (stream.isDead() || remainders.has(stream.clientId())) {
            return;
        }
        // Of equal orders the greater connection id is the newer.
        boolean mineIsGreater =
                stream.order() == other.order() && stream.connectionId().compareTo(other.connectionId()) > 0;
        Registration registration = registration(mine);
        Result result = take(mine, State.ACTIVE, mineIsGreater);
        ClientRecord record = result.record();
        if (record != null) {
            record(mine, record, registration);
        } else if (result.outcome() == Outcome.NEWER) {
            stream.close(CloseCause.SUPERSEDED, "a newer connection of the client exists");
        }
    }

    // Metadata.

    /**
     * Writes the stream's metadata to the registry.
     *
     * @return true if it is there; false if it is not yet, which is made good later
     */
    CompletionStage<Boolean> synchronise(ClientStream stream) {
        Held mine = held.get(stream.connectionId());
        return mine == null ? done(false) : synchronise(mine);
    }

    private CompletionStage<Boolean> synchronise(Held mine) {
        Warrant warrant = seat.warrants().next(VALIDITY).orElse(null);
        if (warrant == null || mine.number != warrant.node()) {
            // A record that is being made now may have the metadata of before.
            mine.isStale = true;
            return done(false);
        }
        mine.isStale = false;
        return write(warrant, mine.stream, mine.stream.metadata());
    }

    /**
     * Replaces the recorded metadata, if this connection still owns the record. If that is not proven, the stream's own
     * follows later.
     */
    CompletionStage<Boolean> write(Warrant warrant, ClientStream stream, String metadata) {
        return Answers.twice(() -> registry.updateMetadata(warrant, stream.clientId(), stream.connectionId(), metadata))
                .handle((written, failed) -> {
                    boolean isWritten = failed == null && written.isOk();
                    Held mine = held.get(stream.connectionId());
                    if (!isWritten && mine != null) {
                        mine.isStale = true;
                        // No record: it is made anew, or tells who has taken the client.
                        mine.isActive &= failed != null || written.status() != Written.Status.NOT_OWNER;
                    }
                    return isWritten;
                });
    }

    /** The answer, or null if none comes in time. */
    private static <T> @Nullable T answer(CompletionStage<T> stage) {
        try {
            return Answers.within(ANSWER, stage);
        } catch (RuntimeException away) {
            LOG.log(Level.FINE, "the registry did not answer", away);
            return null;
        }
    }

    private static CompletionStage<Boolean> done(boolean isSettled) {
        return CompletableFuture.completedFuture(isSettled);
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

    /** The client ids of streams that are not recorded, as far as is known here. */
    List<String> unrecorded() {
        long number = seat.warrants().next(VALIDITY).map(Warrant::node).orElse(0L);
        return held.values().stream()
                .filter(mine -> !isRecorded(mine, number))
                .map(mine -> mine.stream.clientId())
                .toList();
    }
}
