package io.huddle.mesh;

import io.huddle.registry.RegistryBackend;
import io.huddle.registry.Warrant;
import io.huddle.registry.Written;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What this node may have left in the registry and has to go: asked for again until its absence is proven, or until the
 * number under which it was written has ended and everything of it goes. Concerns one client id each; others never notice.
 * Safe for use by any thread; nothing blocks.
 */
final class Remainders {
    private static final Logger LOG = Logger.getLogger(Remainders.class.getName());

    private final RegistryBackend registry;
    private final Warrants warrants;

    /** By client id, then by what it is. The inner maps are never changed. */
    private final ConcurrentMap<String, Map<String, Remainder>> all = new ConcurrentHashMap<>();

    private static final class Remainder {
        private final String clientId;
        /** A connection's, or else what the operation {@code made} made. */
        private final @Nullable String connectionId;

        private final String made;
        private final long number;
        private final boolean ownCorrupt;
        private final Runnable then;
        private final AtomicBoolean asking = new AtomicBoolean();

        Remainder(
                String clientId,
                @Nullable String connectionId,
                String made,
                long number,
                boolean ownCorrupt,
                Runnable then) {
            this.clientId = clientId;
            this.connectionId = connectionId;
            this.made = made;
            this.number = number;
            this.ownCorrupt = ownCorrupt;
            this.then = then;
        }

        String key() {
            return connectionId == null ? made : connectionId;
        }

        /** Both as one: gone under the later number, and each of the two is told. */
        Remainder and(Remainder later) {
            return new Remainder(
                    clientId,
                    connectionId,
                    made,
                    Math.max(number, later.number),
                    ownCorrupt || later.ownCorrupt,
                    () -> {
                        then.run();
                        later.then.run();
                    });
        }
    }

    Remainders(RegistryBackend registry, Warrants warrants) {
        this.registry = registry;
        this.warrants = warrants;
    }

    /**
     * A connection's record is to go. Said again before it has gone, it is one removal, and what follows each follows it.
     *
     * @param ownCorrupt true if it is this connection's even if nobody can read it
     * @param then called once, on any thread, when it is proven to be gone or the number's end takes it
     */
    void connection(String clientId, String connectionId, long number, boolean ownCorrupt, Runnable then) {
        leave(new Remainder(clientId, connectionId, "", number, ownCorrupt, then));
    }

    /** The claim or the record that this operation made is to go, and nothing that it makes later is to stay. */
    void operation(String clientId, Warrant operation) {
        leave(new Remainder(clientId, null, operation.operation(), operation.node(), false, () -> {}));
    }

    private void leave(Remainder remainder) {
        Map<String, Remainder> ofClient =
                all.merge(remainder.clientId, Map.of(remainder.key(), remainder), (old, added) -> {
                    Map<String, Remainder> both = new HashMap<>(old);
                    both.merge(remainder.key(), remainder, Remainder::and);
                    return Map.copyOf(both);
                });
        attempt(ofClient.getOrDefault(remainder.key(), remainder));
    }

    /** True while something of this client id has to go first. */
    boolean has(String clientId) {
        return all.containsKey(clientId);
    }

    int size() {
        return all.size();
    }

    /** Asks for everything that is not being asked for. */
    void again() {
        for (Map<String, Remainder> ofClient : List.copyOf(all.values())) {
            ofClient.values().forEach(this::attempt);
        }
    }

    private void attempt(Remainder remainder) {
        // As good as the operation that is revoked was, so that nothing of it comes after this is forgotten.
        Warrant warrant = warrants.next(Takeover.VALIDITY).orElse(null);
        if (warrant == null || !remainder.asking.compareAndSet(false, true)) {
            return;
        }
        if (warrant.node() != remainder.number) {
            settle(remainder);
            return;
        }
        var unused = remove(warrant, remainder).handle((isGone, failed) -> {
            remainder.asking.set(false);
            if (failed != null) {
                LOG.log(Level.FINE, "a record's removal was not proven", failed);
            } else if (isGone) {
                settle(remainder);
            }
            return null;
        });
    }

    private CompletionStage<Boolean> remove(Warrant warrant, Remainder remainder) {
        String connection = remainder.connectionId;
        if (connection != null) {
            return registry.unregister(warrant, remainder.clientId, connection, remainder.ownCorrupt)
                    .thenApply(written -> switch (written.status()) {
                        case OK, NOT_OWNER -> true;
                        // Nobody can read it, and it is not this connection's.
                        case CORRUPT -> !remainder.ownCorrupt;
                        default -> false;
                    });
        }
        return registry.removeClaimResult(warrant, remainder.clientId, remainder.made)
                .thenCompose(written -> written.status() == Written.Status.CORRUPT
                        ? registry.abortClaim(warrant, remainder.clientId, remainder.made)
                        : CompletableFuture.completedFuture(written))
                .thenApply(written -> written.isOk() || written.status() == Written.Status.NOT_OWNER);
    }

    private void settle(Remainder remainder) {
        AtomicBoolean isFirst = new AtomicBoolean();
        all.computeIfPresent(remainder.clientId, (id, there) -> {
            if (!remainder.equals(there.get(remainder.key()))) {
                return there;
            }
            isFirst.set(true);
            Map<String, Remainder> rest = new HashMap<>(there);
            rest.remove(remainder.key());
            return rest.isEmpty() ? null : Map.copyOf(rest);
        });
        if (isFirst.get()) {
            remainder.then.run();
        }
    }
}
