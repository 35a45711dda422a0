package io.huddle.registry;

import io.huddle.redis.Reply;
import io.huddle.redis.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The orphan queue in Redis: what is told of it in {@link RegistryBackend}. Safe for use by any thread. */
final class RedisOrphans {
    private static final Script DEAD = Script.of("registry/dead");
    private static final Script PART = Script.of("registry/orphan-part");
    private static final Script CLAIM = Script.of("registry/orphan-claim");
    private static final Script RENEW = Script.of("registry/orphan-renew");
    private static final Script ACK = Script.of("registry/orphan-ack");
    private static final Script NACK = Script.of("registry/orphan-nack");
    private static final Script RETRY = Script.of("registry/orphan-retry");
    private static final Script LIST = Script.of("registry/orphan-list");
    private static final Script ACCOUNT = Script.of("registry/orphan-account");

    private final RedisShards shards;
    private final RegistryLimits limits;

    /** Where the next search for a chunk begins, so that no shard waits until the others are empty. */
    RedisOrphans(RedisShards shards, RegistryLimits limits) {
        this.shards = shards;
        this.limits = limits;
    }

    CompletionStage<Cleanup> enqueue(long node, int most) {
        return shards.runInAll(DEAD, node)
                .thenCompose(counts -> shards.gather(
                                0,
                                new Step(node, most, true, false, 0),
                                (step, shard) -> counts.get(shard).number(0) == 0
                                        ? CompletableFuture.completedFuture(step)
                                        : fromShard(step, shard))
                        .thenApply(step -> new Cleanup(step.done, step.full, step.orphans)));
    }

    /** How far a cleanup has come. */
    private record Step(long node, int left, boolean done, boolean full, int orphans) {}

    private CompletionStage<Step> fromShard(Step step, int shard) {
        if (step.left == 0) {
            // What is left here was counted before the step began.
            return CompletableFuture.completedFuture(new Step(step.node, 0, false, step.full, step.orphans));
        }
        return shards.runIn(
                        shard,
                        PART,
                        step.node,
                        step.left,
                        shard,
                        limits.chunkBytes(),
                        limits.chunkClients(),
                        limits.orphanItemsOfShard(),
                        limits.orphanBytesOfShard())
                .thenCompose(reply -> {
                    boolean full = reply.text(0).equals("FULL");
                    boolean empty = reply.number(3) == 0;
                    int left = step.left - (int) reply.number(1);
                    int orphans = step.orphans + (int) reply.number(2);
                    boolean over = full || empty || left == 0;
                    Step next = new Step(step.node, left, step.done && (empty || !over), step.full || full, orphans);
                    return over ? CompletableFuture.completedFuture(next) : fromShard(next, shard);
                });
    }

    /** Begins where the operation says, so that its retry finds the chunk of the first try before another. */
    CompletionStage<Optional<OrphanChunk>> claim(Warrant warrant) {
        return shards.first(
                Math.floorMod(warrant.operation().hashCode(), shards.count()),
                shards.count(),
                shard -> shards.runIn(
                                shard,
                                CLAIM,
                                RedisRegistry.with(
                                        warrant,
                                        limits.orphanTries(),
                                        limits.orphanClaimMs(),
                                        limits.deadLettersOfShard()))
                        .thenApply(reply -> reply.size() == 0 ? Optional.empty() : Optional.of(chunk(reply, shard))),
                Optional::isPresent,
                Optional.empty());
    }

    CompletionStage<Boolean> renew(Warrant warrant, OrphanChunk chunk) {
        return isDone(shards.runIn(
                shardOf(chunk),
                RENEW,
                RedisRegistry.with(
                        warrant, chunk.id(), tokenOf(chunk), limits.orphanClaimMs(), InMemoryQueue.LONGEST_CLAIM_MS)));
    }

    CompletionStage<Boolean> acknowledge(Warrant warrant, OrphanChunk chunk) {
        return isDone(shards.runIn(shardOf(chunk), ACK, RedisRegistry.with(warrant, chunk.id(), tokenOf(chunk))));
    }

    CompletionStage<Boolean> giveBack(Warrant warrant, OrphanChunk chunk, long delayMs, boolean countsAsTry) {
        return isDone(shards.runIn(
                shardOf(chunk),
                NACK,
                RedisRegistry.with(warrant, chunk.id(), tokenOf(chunk), delayMs, countsAsTry ? 1 : 0)));
    }

    CompletionStage<Boolean> retry(Warrant warrant, String chunkId) {
        int shard = shardOf(chunkId);
        return shard < 0
                ? CompletableFuture.completedFuture(false)
                : isDone(shards.runIn(
                        shard,
                        RETRY,
                        RedisRegistry.with(
                                warrant, chunkId, limits.orphanItemsOfShard(), limits.orphanBytesOfShard())));
    }

    CompletionStage<List<OrphanChunk>> list(int limit) {
        return shards.gather(
                0,
                List.of(),
                (found, shard) -> found.size() >= limit
                        ? CompletableFuture.completedFuture(found)
                        : shards.runIn(shard, LIST, limit - found.size())
                                .thenApply(reply -> RedisShards.joined(found, chunks(reply, shard))));
    }

    CompletionStage<OrphanAccount> account() {
        return shards.runInAll(ACCOUNT)
                .thenApply(replies -> replies.stream()
                        .map(reply -> new OrphanAccount(
                                reply.number(0),
                                reply.number(1),
                                reply.number(2),
                                reply.number(3),
                                reply.number(4),
                                reply.number(5)))
                        .reduce(new OrphanAccount(0, 0, 0, 0, 0, 0), RedisOrphans::sum));
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
                Math.max(one.now(), other.now()));
    }

    private static List<OrphanChunk> chunks(Reply replies, int shard) {
        List<OrphanChunk> chunks = new ArrayList<>();
        for (int i = 0; i < replies.size(); i++) {
            chunks.add(chunk(replies.list(i), shard));
        }
        return chunks;
    }

    private static OrphanChunk chunk(Reply reply, int shard) {
        return new OrphanChunk(
                reply.text(0),
                shard,
                reply.number(1),
                reply.has(2) ? reply.text(2) : null,
                (int) reply.number(3),
                reply.number(4),
                reply.number(5),
                reply.number(6) == 1,
                PackedRecords.readAll(reply.bytes(7)));
    }

    private static CompletionStage<Boolean> isDone(CompletionStage<Reply> answer) {
        return answer.thenApply(reply -> reply.number(0) == 1);
    }

    private static String tokenOf(OrphanChunk chunk) {
        return chunk.token() == null ? "" : chunk.token();
    }

    private int shardOf(OrphanChunk chunk) {
        if (chunk.shard() < 0 || chunk.shard() >= shards.count()) {
            throw new IllegalArgumentException("there is no shard " + chunk.shard());
        }
        return chunk.shard();
    }

    /** A chunk's id begins with its shard; -1 if this one's does not. */
    private int shardOf(String chunkId) {
        int end = chunkId.indexOf('-');
        try {
            int shard = end < 0 ? -1 : Integer.parseInt(chunkId.substring(0, end));
            return shard < shards.count() ? shard : -1;
        } catch (NumberFormatException notOurs) {
            return -1;
        }
    }
}
