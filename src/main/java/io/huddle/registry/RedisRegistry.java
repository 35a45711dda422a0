package io.huddle.registry;

import io.huddle.redis.Redis;
import io.huddle.redis.Reply;
import io.huddle.redis.Script;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The registry in Redis, alone or a cluster: each operation on a client id, a chunk or a shard is one script, and everything
 * that it touches has the shard's tag. Safe for use by any thread; stages are completed on the threads that read from Redis,
 * which must not be blocked.
 *
 * <p>What concerns several shards (listings, cleanups, epochs) goes from one to the next and is atomic in each of them only.
 * A shard is in its epoch only as long as the server that it began on lives: after a failover, and after a start from what was
 * on disk, writes may be missing, and every write answers {@code OTHER_EPOCH} until another epoch begins. Until then what is
 * found is still told, but what is not found there is no absence.
 *
 * <p>Times are those of the Redis server that holds the shard. Records go by themselves a day after the last
 * {@link #refreshNode}, which is one small script a shard: to be called every few minutes, not every few seconds.
 */
public final class RedisRegistry implements RegistryBackend {
    private static final Script SHARDS = Script.of("registry/shards");
    private static final Script TIME = Script.of("registry/time");
    private static final Script REGISTER = Script.of("registry/register");
    private static final Script CHANGE = Script.of("registry/change");
    private static final Script UNREGISTER = Script.of("registry/unregister");
    private static final Script LOOKUP = Script.of("registry/lookup");
    private static final Script LIST = Script.of("registry/list");
    private static final Script CLAIM = Script.of("registry/claim");
    private static final Script COMMIT = Script.of("registry/commit");
    private static final Script ABORT = Script.of("registry/abort");
    private static final Script REMOVE_PREVIOUS = Script.of("registry/remove-previous");
    private static final Script REMOVE_RESULT = Script.of("registry/remove-result");
    private static final Script DEAD = Script.of("registry/dead");
    private static final Script REMOVE_NODE = Script.of("registry/remove-node");
    private static final Script REFRESH = Script.of("registry/refresh");
    private static final Script BEGIN = Script.of("registry/begin");
    private static final Script NONCE = Script.of("registry/nonce");

    /** Records that one script looks at, or removes: about a millisecond of Redis' only thread. Of large ones fewer. */
    private static final int STEP = 256;

    private final RegistryLimits limits;
    private final Shards ids;
    private final RedisShards shards;
    private final RedisOrphans orphans;

    /** The registry's epoch, as far as this node knows; null before it has begun one. */
    private volatile @Nullable String begun;

    public RedisRegistry(Redis redis, RegistryLimits limits) {
        this.limits = limits;
        this.ids = new Shards(limits.shards());
        this.shards = new RedisShards(redis, ids);
        this.orphans = new RedisOrphans(shards, limits);
    }

    /** Without the fallback, which would have to be one step over all shards. */
    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.CLAIMS, Capability.DURABLE_ORPHANS, Capability.NONCES);
    }

    /**
     * Compares the number of shards with that of the nodes before, which decides where a client id lies. {@link
     * #beginEpoch} does so first, without which a node writes nothing.
     *
     * @return fails with an {@link IllegalStateException} that says both numbers if they differ
     */
    public CompletionStage<Void> checkShards() {
        return shards.runShared(SHARDS, "shards", limits.shards()).thenApply(reply -> {
            if (reply.number(0) != limits.shards()) {
                throw new IllegalStateException("the registry in Redis has " + reply.text(0)
                        + " shards, and this node is set to " + limits.shards()
                        + ": a client id would lie in two places. Use the same number on all nodes, or another"
                        + " huddle.mesh.namespace");
            }
            return null;
        });
    }

    @Override
    public CompletionStage<Long> time() {
        return shards.runShared(TIME, "shards").thenApply(reply -> reply.number(0));
    }

    // Records.

    @Override
    public CompletionStage<Written> register(Warrant warrant, Registration registration) {
        return record("register", "A", warrant, registration);
    }

    @Override
    public CompletionStage<Written> reserve(Warrant warrant, Registration registration) {
        return record("reserve", "P", warrant, registration);
    }

    private CompletionStage<Written> record(String method, String state, Warrant warrant, Registration registration) {
        Bounds.check(registration);
        String clientId = registration.clientId();
        return written(
                clientId,
                shards.run(
                        REGISTER,
                        clientId,
                        with(
                                warrant,
                                method,
                                state,
                                clientId,
                                registration.connectionId(),
                                registration.order(),
                                registration.connectedAt(),
                                PackedRecords.weight(registration),
                                PackedRecords.rest(registration),
                                registration.metadata())));
    }

    @Override
    public CompletionStage<Written> activate(Warrant warrant, String clientId, String connectionId, String metadata) {
        return change("activate", warrant, clientId, connectionId, metadata);
    }

    @Override
    public CompletionStage<Written> updateMetadata(
            Warrant warrant, String clientId, String connectionId, String metadata) {
        return change("update", warrant, clientId, connectionId, metadata);
    }

    private CompletionStage<Written> change(
            String method, Warrant warrant, String clientId, String connectionId, String metadata) {
        Bounds.checkClientId(clientId);
        Bounds.checkMetadata(metadata);
        return written(clientId, shards.run(CHANGE, clientId, with(warrant, method, clientId, connectionId, metadata)));
    }

    @Override
    public CompletionStage<Written> unregister(
            Warrant warrant, String clientId, String connectionId, boolean ownCorrupt) {
        Bounds.checkClientId(clientId);
        return written(
                clientId, shards.run(UNREGISTER, clientId, with(warrant, clientId, connectionId, ownCorrupt ? 1 : 0)));
    }

    @Override
    public CompletionStage<Optional<ClientRecord>> getClient(String clientId) {
        return look(clientId).thenApply(looked -> {
            ClientRecord record = looked.sight().record();
            if (record != null && record.isActive()) {
                return Optional.of(record);
            }
            looked.checkAbsence();
            return Optional.empty();
        });
    }

    @Override
    public CompletionStage<Sight> getClientIncludingPending(String clientId) {
        return look(clientId).thenApply(looked -> {
            if (looked.sight().record() == null && !looked.sight().corrupt()) {
                looked.checkAbsence();
            }
            return looked.sight();
        });
    }

    /** @param isWhole true if nothing of the shard can have been lost since the epoch began */
    private record Looked(Sight sight, boolean isWhole) {
        void checkAbsence() {
            RedisRegistry.checkAbsence(isWhole);
        }
    }

    private CompletionStage<Looked> look(String clientId) {
        Bounds.checkClientId(clientId);
        return shards.run(LOOKUP, clientId, "", "", "", "", "", clientId).thenApply(reply -> {
            ClientRecord record = recordAt(reply, 0, clientId);
            Sight sight = new Sight(
                    record, record == null && reply.has(0), reply.has(1) ? reply.text(1) : null, reply.number(2));
            return new Looked(sight, isWhole(reply, 3));
        });
    }

    /** True if the shard says that it is in the epoch which this node has begun. */
    private boolean isWhole(Reply reply, int index) {
        return reply.has(index) && reply.text(index).equals(begun);
    }

    private static void checkAbsence(boolean isWhole) {
        if (!isWhole) {
            throw new RegistryUnavailable(
                    "a shard is not in the registry's epoch, and may have lost what is not there");
        }
    }

    // Listings.

    @Override
    public CompletionStage<List<ClientRecord>> listClients() {
        return all(new ListingCursor(ListingCursor.CLIENTS, 0, ""), "", true);
    }

    @Override
    public CompletionStage<ClientPage> listClientsPage(String cursor, int limit) {
        return page(ListingCursor.CLIENTS, "", true, cursor, limit);
    }

    @Override
    public CompletionStage<List<ClientRecord>> listClientsForNode(long node) {
        return all(new ListingCursor(ListingCursor.clientsOfNode(node), 0, ""), Long.toString(node), true);
    }

    @Override
    public CompletionStage<ClientPage> listClientsForNodePage(long node, String cursor, int limit) {
        return page(ListingCursor.clientsOfNode(node), Long.toString(node), true, cursor, limit);
    }

    @Override
    public CompletionStage<ClientPage> listRecordsOfNode(long node, String cursor, int limit) {
        return page(ListingCursor.recordsOfNode(node), Long.toString(node), false, cursor, limit);
    }

    private CompletionStage<List<ClientRecord>> all(ListingCursor from, String node, boolean active) {
        return page(from, node, active, Integer.MAX_VALUE, from.after(), new ArrayList<>(), new Ahead(node))
                .thenApply(ClientPage::clients);
    }

    private CompletionStage<ClientPage> page(String listing, String node, boolean active, String cursor, int limit) {
        Bounds.checkLimit(limit);
        ListingCursor from = ListingCursor.parse(cursor, listing, ids);
        return page(from, node, active, limit, from.after(), new ArrayList<>(), new Ahead(node));
    }

    /**
     * Goes on where the listing is, until the page is full and it is known whether anything follows.
     *
     * @param scanned the client id that was looked at last in this shard; those after the cursor's were not wanted
     */
    private CompletionStage<ClientPage> page(
            ListingCursor at,
            String node,
            boolean active,
            int limit,
            String scanned,
            List<ClientRecord> found,
            Ahead ahead) {
        // One more than is wanted shows whether anything follows.
        long wanted = (long) limit - found.size() + 1;
        CompletionStage<Reply> asked =
                scanned.isEmpty() ? ahead.ask(at.shard(), wanted) : ahead.askRest(at.shard(), scanned, wanted);
        return asked.thenCompose(reply -> {
            // Whoever is not listed is told to be absent.
            checkAbsence(isWhole(reply, 2));
            String after = at.after();
            for (ClientRecord record : PackedRecords.readAll(reply.bytes(1))) {
                if (!isOf(node, active, record)) {
                    continue;
                }
                if (found.size() == limit) {
                    ListingCursor next = new ListingCursor(at.listing(), at.shard(), after);
                    return CompletableFuture.completedFuture(new ClientPage(found, next.text()));
                }
                found.add(record);
                after = record.clientId();
            }
            if (reply.has(0)) {
                ListingCursor here = new ListingCursor(at.listing(), at.shard(), after);
                return page(here, node, active, limit, reply.text(0), found, ahead);
            }
            if (at.shard() + 1 == shards.count()) {
                return CompletableFuture.completedFuture(new ClientPage(found, null));
            }
            ListingCursor following = new ListingCursor(at.listing(), at.shard() + 1, "");
            return page(following, node, active, limit, "", found, ahead);
        });
    }

    private static boolean isOf(String node, boolean active, ClientRecord record) {
        return (!active || record.state() == ClientRecord.State.ACTIVE)
                && (node.isEmpty() || node.equals(Long.toString(record.node())));
    }

    /** What a shard held when it was listed, or its first step. */
    private record Filling(int clients, long bytes) {}

    /** Of the shard that was listed last, whoever listed: how many a listing begins with. */
    private volatile @Nullable Filling lately;

    /**
     * Asks shards before the listing comes to them, so that it does not wait for each in turn: as many as are likely to be
     * needed by what the last of them held, and no more than two full answers take of the node's memory. Used by one listing,
     * whose steps follow each other.
     */
    private final class Ahead {
        private static final int MOST = 16;

        /** Before anything is known of the shards. */
        private static final int FIRST = 4;

        private static final int BYTES = 512 << 10;

        private final String node;
        private final Map<Integer, CompletionStage<Reply>> asked = new HashMap<>();
        private @Nullable Filling last;

        Ahead(String node) {
            this.node = node;
            this.last = node.isEmpty() ? lately : null;
        }

        /** @param wanted records that the listing has room for */
        CompletionStage<Reply> ask(int shard, long wanted) {
            if (!asked.containsKey(shard)) {
                fetch(shard, last == null ? FIRST : Math.max(1, likely(last, wanted)), wanted);
            }
            CompletionStage<Reply> reply = asked.remove(shard);
            if (reply == null) {
                throw new IllegalStateException("a shard was not asked");
            }
            return reply.thenApply(answer -> {
                learn(answer.bytes(1));
                return answer;
            });
        }

        /** What is in the shard after this client id; half a shard, as far as is known. */
        CompletionStage<Reply> askRest(int shard, String scanned, long wanted) {
            CompletionStage<Reply> reply = fetched(shard, scanned, wanted);
            if (last != null && !asked.containsKey(shard + 1)) {
                fetch(shard + 1, likely(last, wanted - last.clients() / 2), wanted);
            }
            return reply;
        }

        private void fetch(int shard, long most, long wanted) {
            int end = (int) Math.min(shards.count(), shard + most);
            for (int next = shard; next < end; next++) {
                asked.put(next, fetched(next, "", wanted));
            }
        }

        private CompletionStage<Reply> fetched(int shard, String scanned, long wanted) {
            return shards.runIn(shard, LIST, node, scanned, Math.min(STEP, wanted));
        }

        private static long likely(Filling filling, long wanted) {
            long needed = (wanted + filling.clients() - 1) / filling.clients();
            long held = BYTES / Math.max(1, filling.bytes());
            return Math.max(0, Math.min(MOST, Math.min(needed, held)));
        }

        private void learn(byte[] listed) {
            Filling filling = new Filling(Math.max(1, PackedRecords.count(listed)), listed.length);
            last = filling;
            if (node.isEmpty()) {
                lately = filling;
            }
        }
    }

    // Claims.

    @Override
    public CompletionStage<Claimed> claim(Warrant warrant, ClaimRequest request) {
        Registration registration = request.registration();
        Bounds.check(registration);
        if (request.deadNode() == warrant.node()) {
            throw new IllegalArgumentException("a node does not prove its own death");
        }
        String clientId = registration.clientId();
        return shards.run(
                        CLAIM,
                        clientId,
                        with(
                                warrant,
                                clientId,
                                limits.claimMs(),
                                request.supersede() ? 1 : 0,
                                request.goneMark() == null ? "" : request.goneMark(),
                                request.deadNode(),
                                registration.connectionId(),
                                request.state() == ClientRecord.State.ACTIVE ? "A" : "P",
                                registration.order(),
                                registration.connectedAt(),
                                PackedRecords.weight(registration),
                                PackedRecords.rest(registration),
                                registration.metadata()))
                .thenApply(reply -> new Claimed(
                        Claimed.Status.valueOf(reply.text(0)),
                        reply.has(1) ? reply.text(1) : null,
                        reply.number(2),
                        recordAt(reply, 3, clientId),
                        reply.number(4)));
    }

    @Override
    public CompletionStage<Committed> commitClaim(Warrant warrant, String clientId, String claim) {
        Bounds.checkClientId(clientId);
        return shards.run(COMMIT, clientId, with(warrant, clientId, claim))
                .thenApply(
                        reply -> new Committed(Committed.Status.valueOf(reply.text(0)), recordAt(reply, 1, clientId)));
    }

    @Override
    public CompletionStage<Written> abortClaim(Warrant warrant, String clientId, String claim) {
        return ended(ABORT, warrant, clientId, claim);
    }

    @Override
    public CompletionStage<Written> removeClaimPrevious(Warrant warrant, String clientId, String claim) {
        return ended(REMOVE_PREVIOUS, warrant, clientId, claim);
    }

    @Override
    public CompletionStage<Written> removeClaimResult(Warrant warrant, String clientId, String claim) {
        return ended(REMOVE_RESULT, warrant, clientId, claim);
    }

    private CompletionStage<Written> ended(Script script, Warrant warrant, String clientId, String claim) {
        Bounds.checkClientId(clientId);
        return written(clientId, shards.run(script, clientId, with(warrant, clientId, claim)));
    }

    // Nodes.

    @Override
    public CompletionStage<List<ClientRecord>> cleanupNode(long node) {
        return shards.runInAll(DEAD, node)
                .thenCompose(counts -> shards.gather(
                        0,
                        List.of(),
                        (found, shard) -> counts.get(shard).number(0) == 0
                                ? CompletableFuture.completedFuture(found)
                                : removeAll(node, shard, found)));
    }

    private CompletionStage<List<ClientRecord>> removeAll(long node, int shard, List<ClientRecord> found) {
        return shards.runIn(shard, REMOVE_NODE, node, STEP).thenCompose(reply -> {
            List<ClientRecord> all = RedisShards.joined(found, PackedRecords.read(reply.list(1)));
            return reply.number(0) == 0 ? CompletableFuture.completedFuture(all) : removeAll(node, shard, all);
        });
    }

    @Override
    public CompletionStage<Cleanup> cleanupNodeAndEnqueueOrphaned(long node, int most) {
        Bounds.checkLimit(most);
        return orphans.enqueue(node, most);
    }

    /** @throws UnsupportedOperationException always: see {@link #capabilities} */
    @Override
    public CompletionStage<Cleanup.Snapshot> cleanupNodeForFallback(long node, int maxItems, long maxBytes) {
        throw new UnsupportedOperationException("this registry has a durable queue instead");
    }

    @Override
    public CompletionStage<Written> refreshNode(Warrant warrant) {
        // The number of shards is kept for as long as any node is there to ask for it.
        return checkShards()
                .thenCompose(same -> shards.runInAll(REFRESH, with(warrant)))
                .thenApply(replies -> {
                    Written.Status worst = Written.Status.OK;
                    for (Reply reply : replies) {
                        Written.Status status = Written.Status.valueOf(reply.text(0));
                        worst = status.compareTo(worst) < 0 ? status : worst;
                    }
                    return Written.of(worst);
                });
    }

    // Orphans.

    @Override
    public CompletionStage<Optional<OrphanChunk>> claimOrphaned(Warrant warrant) {
        return orphans.claim(warrant);
    }

    @Override
    public CompletionStage<Boolean> renewOrphaned(Warrant warrant, OrphanChunk chunk) {
        return orphans.renew(warrant, chunk);
    }

    @Override
    public CompletionStage<Boolean> ackOrphaned(Warrant warrant, OrphanChunk chunk) {
        return orphans.acknowledge(warrant, chunk);
    }

    @Override
    public CompletionStage<Boolean> nackOrphaned(
            Warrant warrant, OrphanChunk chunk, long delayMs, boolean countsAsTry) {
        Bounds.checkDelay(delayMs);
        return orphans.giveBack(warrant, chunk, delayMs, countsAsTry);
    }

    @Override
    public CompletionStage<List<OrphanChunk>> listOrphaned(int limit) {
        Bounds.checkLimit(limit);
        return orphans.list(limit);
    }

    @Override
    public CompletionStage<Boolean> retryOrphaned(Warrant warrant, String chunkId) {
        return orphans.retry(warrant, chunkId);
    }

    @Override
    public CompletionStage<OrphanAccount> orphanAccount() {
        return orphans.account();
    }

    // Nonces and epochs.

    @Override
    public CompletionStage<NonceUse> consumeNonce(String epoch, String clientId, String nonce, long timestamp) {
        Bounds.checkClientId(clientId);
        return shards.run(NONCE, clientId, epoch, clientId, nonce, timestamp, limits.clockDriftMs(), limits.nonceMs())
                .thenApply(reply -> NonceUse.valueOf(reply.text(0)));
    }

    @Override
    public CompletionStage<Void> beginEpoch(String epoch) {
        // A node with another number of shards must not write anything, however late it first reaches Redis.
        return checkShards().thenCompose(same -> shards.runInAll(BEGIN, epoch)).thenAccept(all -> {
            String there = all.get(0).text(0);
            // A node that slept hears that the registry has gone on, of all shards alike; otherwise it is as it says.
            begun = all.stream().allMatch(reply -> reply.text(0).equals(there)) ? there : epoch;
        });
    }

    /** The arguments of a script that begins with a warrant. */
    static Object[] with(Warrant warrant, Object... more) {
        Object[] arguments = new Object[5 + more.length];
        arguments[0] = warrant.epoch();
        arguments[1] = warrant.node();
        arguments[2] = warrant.process();
        arguments[3] = warrant.operation();
        arguments[4] = warrant.notAfter();
        System.arraycopy(more, 0, arguments, 5, more.length);
        return arguments;
    }

    private static CompletionStage<Written> written(String clientId, CompletionStage<Reply> answer) {
        return answer.thenApply(
                reply -> new Written(Written.Status.valueOf(reply.text(0)), recordAt(reply, 1, clientId)));
    }

    private static @Nullable ClientRecord recordAt(Reply reply, int index, String clientId) {
        return reply.has(index)
                ? PackedRecords.read(clientId, reply.bytes(index)).orElse(null)
                : null;
    }
}
