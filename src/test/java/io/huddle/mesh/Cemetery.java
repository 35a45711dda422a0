package io.huddle.mesh;

import io.huddle.registry.Capability;
import io.huddle.registry.Cleanup;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.InMemoryRegistry;
import io.huddle.registry.OrphanAccount;
import io.huddle.registry.Registration;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.RegistryLimits;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.registry.Warrant;
import io.huddle.registry.Written;
import io.huddle.web.Ids;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** A registry with dead nodes in it, a clock that the test moves, and faults that the test orders. */
final class Cemetery {
    static final String EPOCH = "epoch-of-the-test";

    /** The node under test. */
    static final long SELF = 1_000;

    final AtomicLong clock = new AtomicLong(1_000_000);
    final AtomicBoolean alive = new AtomicBoolean(true);
    final Queue<String> calls = new ConcurrentLinkedQueue<>();
    final InMemoryRegistry real;
    final RegistryBackend registry;

    /** How many calls of a method are still to fail, by its name. */
    final Map<String, Integer> unheard = new ConcurrentHashMap<>();

    final Map<String, Integer> unanswered = new ConcurrentHashMap<>();

    /** What the cleanup for the fallback is to answer next, instead of doing anything. */
    final Queue<Cleanup.Snapshot> snapshots = new ConcurrentLinkedQueue<>();

    private volatile Set<Capability> capabilities = Set.of(Capability.values());
    private final AtomicLong number = new AtomicLong(SELF);

    Cemetery(RegistryLimits limits) {
        real = new InMemoryRegistry(limits, clock::get);
        real.beginEpoch(EPOCH).toCompletableFuture().join();
        registry = watched();
    }

    /** Each client is a chunk of its own. */
    static Cemetery ofSingles() {
        return new Cemetery(limits(4, 4_096, 1));
    }

    static RegistryLimits limits(int shards, int items, int chunkClients) {
        return new RegistryLimits(
                shards, 30_000, items, 64L << 20, 128 << 10, chunkClients, 30_000, 10, 1_024, 90_000, 30_000);
    }

    void capableOf(Capability... some) {
        capabilities = Set.of(some);
    }

    Optional<Warrant> warrant(Duration validity) {
        return alive.get() ? Optional.of(warrant(number.get(), validity)) : Optional.empty();
    }

    /** The node has lost its lease and joined again. */
    void joinAgain() {
        number.incrementAndGet();
        alive.set(true);
    }

    private Warrant warrant(long node, Duration validity) {
        return new Warrant(node, "process-" + node, EPOCH, Ids.make('o'), clock.get() + validity.toMillis());
    }

    /** Active clients of a node, named {@code prefix-0} and so on. */
    void connect(long node, String prefix, int clients) {
        IntStream.range(0, clients).forEach(i -> connect(node, prefix + "-" + i));
    }

    void connect(long node, String client) {
        Written written = done(real.register(warrant(node, Duration.ofSeconds(30)), registration(client)));
        if (written.status() != Written.Status.OK) {
            throw new IllegalStateException(client + " was not registered: " + written);
        }
    }

    void reserve(long node, String client) {
        done(real.reserve(warrant(node, Duration.ofSeconds(30)), registration(client)));
    }

    private static Registration registration(String client) {
        return new Registration(
                client, "connection-" + client, 0, null, 0, List.of(), 0, "{\"of\":\"" + client + "\"}");
    }

    /** The node's clients lie in the queue. */
    void bury(long node) {
        while (!done(real.cleanupNodeAndEnqueueOrphaned(node, 256)).done()) {
            if (done(real.cleanupNodeAndEnqueueOrphaned(node, 256)).full()) {
                throw new IllegalStateException("no room");
            }
        }
    }

    List<ClientRecord> recordsOf(long node) {
        return done(real.listClientsForNode(node));
    }

    OrphanAccount account() {
        return done(real.orphanAccount());
    }

    long calls(String method) {
        return calls.stream().filter(method::equals).count();
    }

    static <T> T done(java.util.concurrent.CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private RegistryBackend watched() {
        return (RegistryBackend) Proxy.newProxyInstance(
                Cemetery.class.getClassLoader(), new Class<?>[] {RegistryBackend.class}, (proxy, method, arguments) -> {
                    String name = method.getName();
                    calls.add(name);
                    if (name.equals("capabilities")) {
                        return capabilities;
                    }
                    if (name.equals("cleanupNodeForFallback") && !snapshots.isEmpty()) {
                        return CompletableFuture.completedFuture(snapshots.remove());
                    }
                    if (take(unheard, name)) {
                        return away();
                    }
                    try {
                        Object answer = method.invoke(real, arguments);
                        return take(unanswered, name) ? away() : answer;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private static boolean take(Map<String, Integer> faults, String method) {
        AtomicBoolean taken = new AtomicBoolean();
        faults.computeIfPresent(method, (name, left) -> {
            taken.set(left > 0);
            return left > 0 ? left - 1 : left;
        });
        return taken.get();
    }

    private static CompletableFuture<Object> away() {
        return CompletableFuture.failedFuture(new RegistryUnavailable("as ordered by the test", new Throwable()));
    }
}
