package io.huddle.registry;

import io.huddle.registry.ClientRecord.State;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry of a single node, in its memory, and the specification that other backends are compared with: every rule of
 * {@link RegistryBackend} as plainly as it can be written, each operation one step under one lock. It is lost with its node,
 * whose clients are then gone too, so that no record ever lapses by itself.
 */
public final class InMemoryRegistry implements RegistryBackend {
    private final ReentrantLock lock = new ReentrantLock();
    private final LongSupplier clock;
    private final Shards shards;
    private final List<InMemoryShard> parts = new ArrayList<>();

    /** Where the next search for a chunk begins, so that no shard waits until the others are empty. */
    private int turn;

    /** @param clock the registry's, in milliseconds; {@link NodeClock} in production */
    public InMemoryRegistry(RegistryLimits limits, LongSupplier clock) {
        this.clock = clock;
        this.shards = new Shards(limits.shards());
        for (int i = 0; i < limits.shards(); i++) {
            parts.add(new InMemoryShard(limits, i));
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public CompletionStage<Long> time() {
        return answer(clock::getAsLong);
    }

    // Records.

    @Override
    public CompletionStage<Written> register(Warrant warrant, Registration registration) {
        Bounds.check(registration);
        return answer(() ->
                of(registration.clientId()).record("register", warrant, registration, State.ACTIVE, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Written> reserve(Warrant warrant, Registration registration) {
        Bounds.check(registration);
        return answer(() ->
                of(registration.clientId()).record("reserve", warrant, registration, State.PENDING, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Written> activate(Warrant warrant, String clientId, String connectionId, String metadata) {
        Bounds.checkClientId(clientId);
        Bounds.checkMetadata(metadata);
        return answer(() ->
                of(clientId).change("activate", warrant, clientId, connectionId, metadata, true, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Written> updateMetadata(
            Warrant warrant, String clientId, String connectionId, String metadata) {
        Bounds.checkClientId(clientId);
        Bounds.checkMetadata(metadata);
        return answer(() ->
                of(clientId).change("update", warrant, clientId, connectionId, metadata, false, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Written> unregister(
            Warrant warrant, String clientId, String connectionId, boolean ownCorrupt) {
        Bounds.checkClientId(clientId);
        return answer(() -> of(clientId).unregister(warrant, clientId, connectionId, ownCorrupt, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Optional<ClientRecord>> getClient(String clientId) {
        Bounds.checkClientId(clientId);
        return answer(() -> Optional.ofNullable(
                        of(clientId).sight(clientId, clock.getAsLong()).record())
                .filter(ClientRecord::isActive));
    }

    @Override
    public CompletionStage<Sight> getClientIncludingPending(String clientId) {
        Bounds.checkClientId(clientId);
        return answer(() -> of(clientId).sight(clientId, clock.getAsLong()));
    }

    // Listings.

    @Override
    public CompletionStage<List<ClientRecord>> listClients() {
        return answer(() -> page(start(ListingCursor.CLIENTS), Integer.MAX_VALUE, ClientRecord::isActive)
                .clients());
    }

    @Override
    public CompletionStage<ClientPage> listClientsPage(String cursor, int limit) {
        return page(ListingCursor.CLIENTS, cursor, limit, ClientRecord::isActive);
    }

    @Override
    public CompletionStage<List<ClientRecord>> listClientsForNode(long node) {
        return answer(() -> page(
                        start(ListingCursor.clientsOfNode(node)),
                        Integer.MAX_VALUE,
                        record -> record.isActive() && record.node() == node)
                .clients());
    }

    @Override
    public CompletionStage<ClientPage> listClientsForNodePage(long node, String cursor, int limit) {
        return page(
                ListingCursor.clientsOfNode(node), cursor, limit, record -> record.isActive() && record.node() == node);
    }

    @Override
    public CompletionStage<ClientPage> listRecordsOfNode(long node, String cursor, int limit) {
        return page(ListingCursor.recordsOfNode(node), cursor, limit, record -> record.node() == node);
    }

    private ListingCursor start(String listing) {
        return ListingCursor.parse("", listing, shards);
    }

    private CompletionStage<ClientPage> page(String listing, String cursor, int limit, Predicate<ClientRecord> wanted) {
        Bounds.checkLimit(limit);
        ListingCursor from = ListingCursor.parse(cursor, listing, shards);
        return answer(() -> page(from, limit, wanted));
    }

    private ClientPage page(ListingCursor from, int limit, Predicate<ClientRecord> wanted) {
        List<ClientRecord> clients = new ArrayList<>();
        String after = from.after();
        for (int shard = from.shard(); shard < parts.size(); shard++) {
            for (ClientRecord record : parts.get(shard).recordsAfter(after)) {
                if (!wanted.test(record)) {
                    continue;
                }
                if (clients.size() == limit) {
                    return new ClientPage(clients, new ListingCursor(from.listing(), shard, after).text());
                }
                clients.add(record);
                after = record.clientId();
            }
            after = "";
        }
        return new ClientPage(clients, null);
    }

    // Claims.

    @Override
    public CompletionStage<Claimed> claim(Warrant warrant, ClaimRequest request) {
        Bounds.check(request.registration());
        if (request.deadNode() == warrant.node()) {
            throw new IllegalArgumentException("a node does not prove its own death");
        }
        return answer(() -> of(request.registration().clientId()).claim(warrant, request, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Committed> commitClaim(Warrant warrant, String clientId, String claim) {
        Bounds.checkClientId(clientId);
        return answer(() -> of(clientId).commit(warrant, clientId, claim, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Written> abortClaim(Warrant warrant, String clientId, String claim) {
        Bounds.checkClientId(clientId);
        return answer(() -> of(clientId).abort(warrant, clientId, claim, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Written> removeClaimPrevious(Warrant warrant, String clientId, String claim) {
        Bounds.checkClientId(clientId);
        return answer(() -> of(clientId).removePrevious(warrant, clientId, claim, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Written> removeClaimResult(Warrant warrant, String clientId, String claim) {
        Bounds.checkClientId(clientId);
        return answer(() -> of(clientId).removeResult(warrant, clientId, claim, clock.getAsLong()));
    }

    // Nodes.

    @Override
    public CompletionStage<List<ClientRecord>> cleanupNode(long node) {
        return answer(() -> {
            List<ClientRecord> active = activeOfDead(node);
            parts.forEach(part -> part.removeAllOf(node));
            return active;
        });
    }

    private List<ClientRecord> activeOfDead(long node) {
        parts.forEach(part -> part.declareDead(node));
        return parts.stream()
                .flatMap(part -> part.recordsOf(node).stream())
                .filter(ClientRecord::isActive)
                .toList();
    }

    @Override
    public CompletionStage<Cleanup> cleanupNodeAndEnqueueOrphaned(long node, int most) {
        Bounds.checkLimit(most);
        return answer(() -> {
            parts.forEach(part -> part.declareDead(node));
            long now = clock.getAsLong();
            boolean full = false;
            int orphans = 0;
            int left = most;
            for (InMemoryShard shard : parts) {
                while (left > 0 && !shard.recordsOf(node).isEmpty()) {
                    InMemoryShard.Part part = shard.removePart(node, left, now);
                    if (part == null) {
                        full = true;
                        break;
                    }
                    left -= part.removed();
                    orphans += part.orphans();
                }
            }
            boolean done = parts.stream().allMatch(part -> part.recordsOf(node).isEmpty());
            return new Cleanup(done, full, orphans);
        });
    }

    @Override
    public CompletionStage<Cleanup.Snapshot> cleanupNodeForFallback(long node, int maxItems, long maxBytes) {
        return answer(() -> {
            List<ClientRecord> active = activeOfDead(node);
            long bytes = active.stream().mapToLong(InMemoryShard::sizeOf).sum();
            if (!active.isEmpty() && (maxItems < 1 || bytes > maxBytes)) {
                return new Cleanup.Snapshot(true, List.of());
            }
            parts.forEach(part -> part.removeAllOf(node));
            return new Cleanup.Snapshot(false, active);
        });
    }

    /** Nothing lapses here; the rules of every write are judged all the same, in every shard. */
    @Override
    public CompletionStage<Written> refreshNode(Warrant warrant) {
        return answer(() -> {
            long now = clock.getAsLong();
            Written.Status worst = Written.Status.OK;
            for (InMemoryShard part : parts) {
                Written.Status refusal = part.refusal(warrant, "", now);
                if (refusal != null && refusal.compareTo(worst) < 0) {
                    worst = refusal;
                }
            }
            return Written.of(worst);
        });
    }

    // Orphans.

    @Override
    public CompletionStage<Optional<OrphanChunk>> claimOrphaned(Warrant warrant) {
        return answer(() -> {
            long now = clock.getAsLong();
            String operation = warrant.operation();
            List<InMemoryQueue> queues = queuesInTurn(warrant, now);
            // First everywhere what the operation holds: a retry must not take a second chunk from an earlier shard.
            return queues.stream()
                    .flatMap(queue -> queue.claimedBy(operation).stream())
                    .findFirst()
                    .or(() -> queues.stream()
                            .flatMap(queue -> queue.claim(operation, now).stream())
                            .findFirst());
        });
    }

    private List<InMemoryQueue> queuesInTurn(Warrant warrant, long now) {
        List<InMemoryQueue> queues = new ArrayList<>();
        int first = turn++;
        for (int i = 0; i < parts.size(); i++) {
            InMemoryShard part = parts.get(Math.floorMod(first + i, parts.size()));
            if (part.refusal(warrant, "", now) == null) {
                queues.add(part.orphans);
            }
        }
        return queues;
    }

    @Override
    public CompletionStage<Boolean> renewOrphaned(Warrant warrant, OrphanChunk chunk) {
        InMemoryShard part = of(chunk);
        return answer(() -> {
            long now = clock.getAsLong();
            return part.refusal(warrant, "", now) == null && part.orphans.renew(chunk, now);
        });
    }

    @Override
    public CompletionStage<Boolean> ackOrphaned(Warrant warrant, OrphanChunk chunk) {
        InMemoryShard part = of(chunk);
        return answer(
                () -> once(part, "ack", warrant, chunk.id(), clock.getAsLong(), () -> part.orphans.acknowledge(chunk)));
    }

    @Override
    public CompletionStage<Boolean> nackOrphaned(
            Warrant warrant, OrphanChunk chunk, long delayMs, boolean countsAsTry) {
        Bounds.checkDelay(delayMs);
        InMemoryShard part = of(chunk);
        return answer(() -> {
            long now = clock.getAsLong();
            return once(
                    part,
                    "nack",
                    warrant,
                    chunk.id(),
                    now,
                    () -> part.orphans.giveBack(chunk, now, delayMs, countsAsTry));
        });
    }

    @Override
    public CompletionStage<Boolean> retryOrphaned(Warrant warrant, String chunkId) {
        return answer(() -> {
            long now = clock.getAsLong();
            for (InMemoryShard part : parts) {
                if (once(part, "retry", warrant, chunkId, now, () -> part.orphans.retry(chunkId, now))) {
                    return true;
                }
            }
            return false;
        });
    }

    /** Does it unless this operation has done it before, which is as good. */
    private static boolean once(
            InMemoryShard part, String method, Warrant warrant, String chunkId, long now, Supplier<Boolean> effect) {
        if (part.refusal(warrant, "", now) != null) {
            return false;
        }
        if (part.isDone(method, chunkId, warrant, now)) {
            return true;
        }
        boolean happened = effect.get();
        if (happened) {
            part.remember(method, chunkId, warrant);
        }
        return happened;
    }

    @Override
    public CompletionStage<List<OrphanChunk>> listOrphaned(int limit) {
        Bounds.checkLimit(limit);
        return answer(() -> parts.stream()
                .flatMap(part -> part.orphans.list().stream())
                .limit(limit)
                .toList());
    }

    @Override
    public CompletionStage<OrphanAccount> orphanAccount() {
        return answer(() -> {
            long now = clock.getAsLong();
            OrphanAccount all = new OrphanAccount(0, 0, 0, 0, 0, now);
            for (InMemoryShard part : parts) {
                all = sum(all, part.orphans.account(now));
            }
            return all;
        });
    }

    private static OrphanAccount sum(OrphanAccount one, OrphanAccount other) {
        long oldest = one.oldest() == 0 || other.oldest() == 0
                ? Math.max(one.oldest(), other.oldest())
                : Math.min(one.oldest(), other.oldest());
        return new OrphanAccount(
                one.items() + other.items(),
                one.bytes() + other.bytes(),
                oldest,
                one.deadLetters() + other.deadLetters(),
                one.redeliveries() + other.redeliveries(),
                one.now());
    }

    // Nonces and epochs.

    @Override
    public CompletionStage<NonceUse> consumeNonce(String epoch, String clientId, String nonce, long timestamp) {
        Bounds.checkClientId(clientId);
        return answer(() -> of(clientId).use(epoch, clientId, nonce, timestamp, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Void> beginEpoch(String epoch) {
        return answer(() -> {
            long now = clock.getAsLong();
            parts.forEach(part -> part.begin(epoch, now));
            return null;
        });
    }

    private InMemoryShard of(String clientId) {
        return parts.get(shards.of(clientId));
    }

    private InMemoryShard of(OrphanChunk chunk) {
        if (chunk.shard() < 0 || chunk.shard() >= parts.size()) {
            throw new IllegalArgumentException("there is no shard " + chunk.shard());
        }
        return parts.get(chunk.shard());
    }

    private <T extends @Nullable Object> CompletionStage<T> answer(Supplier<T> operation) {
        lock.lock();
        try {
            return CompletableFuture.completedFuture(operation.get());
        } catch (RegistryUnavailable unavailable) {
            return CompletableFuture.failedFuture(unavailable);
        } finally {
            lock.unlock();
        }
    }

    /** Makes a record unreadable, as a hand in the store might. For tests. */
    void corrupt(String clientId) {
        answer(() -> {
            of(clientId).corrupt(clientId);
            return true;
        });
    }
}
