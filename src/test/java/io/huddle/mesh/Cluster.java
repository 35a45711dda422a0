package io.huddle.mesh;

import io.huddle.mesh.Takeover.Outcome;
import io.huddle.mesh.Takeover.Result;
import io.huddle.mesh.Takeover.Standing;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.InMemoryRegistry;
import io.huddle.registry.Registration;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.RegistryLimits;
import io.huddle.registry.Sight;
import io.huddle.registry.Warrant;
import io.huddle.registry.Written;
import io.huddle.web.Ids;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Nodes without servers over one registry in memory: who is alive, which connections live where, and who reaches whom, is
 * what the test says. Dead numbers are proven dead unless the test withholds it.
 */
final class Cluster {
    static final String CLIENT = "client-1";
    static final String EPOCH = "epoch-of-the-test";

    final AtomicLong clock = new AtomicLong(1_000_000);
    final InMemoryRegistry real;
    final FaultyRegistry faulty;
    private final Map<Long, Node> members = new ConcurrentHashMap<>();
    private final Set<Long> gone = ConcurrentHashMap.newKeySet();
    private final AtomicLong numbers = new AtomicLong(100);

    /** Every end of a connection by a fence, as it happened. */
    final List<String> fenced = new CopyOnWriteArrayList<>();

    /** What a fence meets; the default does what it should. */
    volatile Function<ClientRecord, @Nullable Standing> trouble = record -> null;

    volatile boolean isEverybodyHeard = true;

    Cluster() {
        real = new InMemoryRegistry(
                new RegistryLimits(4, 30_000, 4_096, 64L << 20, 128 << 10, 256, 30_000, 10, 1_024, 90_000, 30_000),
                clock::get);
        faulty = new FaultyRegistry(real);
        done(real.beginEpoch(EPOCH));
    }

    /** One process, under one number after the other. */
    final class Node {
        final String process;
        final List<Warrant> leftovers = new CopyOnWriteArrayList<>();
        final Remainders remainders;
        final Takeover takeovers;
        final Seat seat;

        /** Connections that live here, with their client's id. */
        final ConcurrentMap<String, String> alive = new ConcurrentHashMap<>();

        /** Reasons and numbers, in their order. */
        final List<String> doubts = new CopyOnWriteArrayList<>();

        /** Ends a connection that lives here, with all that follows. */
        volatile Consumer<String> end = connection -> {};

        volatile long number;
        volatile boolean hasLease = true;

        /** The epoch has just begun: an absent record proves nothing. */
        volatile boolean isYoung;

        Node(String process, Duration patience) {
            this.process = process;
            join();
            seat = new Seat(
                    () -> process,
                    () -> hasLease && !isYoung,
                    this::warrant,
                    one -> CompletableFuture.completedFuture(members.containsKey(one)),
                    one -> CompletableFuture.completedFuture(gone.contains(one)),
                    (why, one) -> doubts.add(why + " " + one));
            remainders = new Remainders(faulty.registry, seat.warrants());
            takeovers = new Takeover(
                    faulty.registry,
                    seat,
                    fences(),
                    (registration, operation) -> {
                        leftovers.add(operation);
                        remainders.operation(registration.clientId(), operation);
                    },
                    patience);
        }

        Takeover.Fences fences() {
            return new Takeover.Fences(
                    (record, most) -> reach(this, record, true),
                    (record, most) -> reach(this, record, false),
                    (asking, most) -> isEverybodyHeard
                            && members.values().stream()
                                    .noneMatch(one -> one.alive.entrySet().stream()
                                            .anyMatch(live -> live.getValue().equals(asking.clientId())
                                                    && !live.getKey().equals(asking.connectionId()))));
        }

        void join() {
            number = numbers.incrementAndGet();
            members.put(number, this);
            hasLease = true;
        }

        /** The lease is over; nobody has declared the number dead yet. */
        void loseLease() {
            hasLease = false;
        }

        Optional<Warrant> warrant(Duration validity) {
            return hasLease
                    ? Optional.of(new Warrant(number, process, EPOCH, Ids.make('o'), clock.get() + validity.toMillis()))
                    : Optional.empty();
        }

        Warrant warrant() {
            return warrant(Duration.ofSeconds(10)).orElseThrow();
        }

        /** The process is gone, and nobody has noticed. */
        void crash() {
            hasLease = false;
            alive.clear();
        }

        /** The number is declared dead. */
        void declareDead() {
            members.remove(number);
            gone.add(number);
        }

        /** A connection that is recorded as active, without any contest. */
        ClientRecord connected(String connection, long order) {
            return connected(real, connection, order);
        }

        ClientRecord connected(RegistryBackend registry, String connection, long order) {
            alive.put(connection, CLIENT);
            Written written = done(registry.register(warrant(), registration(connection, order)));
            return Objects.requireNonNull(written.record(), () -> "not recorded: " + written);
        }

        Result take(String connection, long order, boolean supersede) {
            alive.put(connection, CLIENT);
            Result result = takeovers.take(registration(connection, order), State.PENDING, supersede);
            if (result.outcome() != Outcome.TAKEN) {
                // Turned away: it is dead, and its record, if there is one, is to go.
                alive.remove(connection);
            }
            return result;
        }
    }

    Node node(String process) {
        return new Node(process, Takeover.PATIENCE);
    }

    /** A node that gives up soon. */
    Node hasty(String process) {
        return new Node(process, Duration.ofMillis(300));
    }

    static Registration registration(String connection, long order) {
        return new Registration(CLIENT, connection, order, null, 0, List.of(), 0, "{}");
    }

    private Standing reach(Node asking, ClientRecord record, boolean isFence) {
        Standing ordered = trouble.apply(record);
        Node owner = owner(record);
        if (!asking.process.equals(record.process())) {
            if (ordered != null && ordered != Standing.UNKNOWN) {
                return ordered;
            }
            if (owner == null || (owner.alive.isEmpty() && !owner.hasLease)) {
                return Standing.UNREACHABLE;
            }
        }
        if (owner == null) {
            return Standing.GONE;
        }
        if (!owner.alive.containsKey(record.connectionId())) {
            return Standing.GONE;
        }
        if (!isFence) {
            return Standing.LIVE;
        }
        owner.alive.remove(record.connectionId());
        owner.end.accept(record.connectionId());
        fenced.add(record.connectionId());
        return ordered == null ? Standing.FENCED : ordered;
    }

    private @Nullable Node owner(ClientRecord record) {
        return members.values().stream()
                .filter(node -> node.process.equals(record.process()))
                .findFirst()
                .orElse(null);
    }

    Sight sight() {
        return done(real.getClientIncludingPending(CLIENT));
    }

    ClientRecord record() {
        return Objects.requireNonNull(sight().record(), "no record");
    }

    /** Who is seen as connected by everybody: of active records only. */
    Optional<String> owner() {
        return done(real.getClient(CLIENT)).map(ClientRecord::connectionId);
    }

    /** All nodes but the dead, once each. */
    List<Node> nodes() {
        return new ArrayList<>(Set.copyOf(members.values()));
    }

    static <T> T done(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
