package io.huddle.registry;

import io.huddle.redis.Redis;
import io.huddle.redis.RedisUnavailable;
import io.huddle.redis.Reply;
import io.huddle.redis.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Runs the registry's scripts where they belong, in one shard or one shard after the other. Safe for use by any thread. */
final class RedisShards {
    private final Redis redis;
    private final Shards shards;

    RedisShards(Redis redis, Shards shards) {
        this.redis = redis;
        this.shards = shards;
    }

    int count() {
        return shards.count();
    }

    CompletionStage<Reply> run(Script script, String clientId, Object... arguments) {
        return runIn(shards.of(clientId), script, arguments);
    }

    CompletionStage<Reply> runIn(int shard, Script script, Object... arguments) {
        return told(script.run(redis, List.of(redis.key("s" + shard, "clients")), arguments));
    }

    /** Runs a script on what all nodes share. */
    CompletionStage<Reply> runShared(Script script, String name, Object... arguments) {
        return told(script.run(redis, List.of(redis.key("m", name)), arguments));
    }

    /** Runs it in all shards at once; the answers come by shard. */
    CompletionStage<List<Reply>> runInAll(Script script, Object... arguments) {
        List<CompletableFuture<Reply>> running = IntStream.range(0, count())
                .mapToObj(shard -> runIn(shard, script, arguments).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(running.toArray(CompletableFuture[]::new))
                .thenApply(all -> running.stream().map(CompletableFuture::join).toList());
    }

    /** Goes from shard to shard until one has an answer; {@code otherwise} if none has. */
    <T> CompletionStage<T> first(
            int from, int count, IntFunction<CompletionStage<T>> ask, Function<T, Boolean> isAnswer, T otherwise) {
        if (count == 0) {
            return CompletableFuture.completedFuture(otherwise);
        }
        return ask.apply(from % count())
                .thenCompose(answer -> isAnswer.apply(answer)
                        ? CompletableFuture.completedFuture(answer)
                        : first((from + 1) % count(), count - 1, ask, isAnswer, otherwise));
    }

    /** Goes through the shards from one on, and gathers. */
    <T> CompletionStage<T> gather(int from, T start, BiFunction<T, Integer, CompletionStage<T>> step) {
        if (from == count()) {
            return CompletableFuture.completedFuture(start);
        }
        return step.apply(start, from).thenCompose(next -> gather(from + 1, next, step));
    }

    static <T> List<T> joined(List<T> one, List<T> other) {
        List<T> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    private static CompletionStage<Reply> told(CompletionStage<Reply> answer) {
        return answer.handle((reply, thrown) -> {
            if (thrown != null) {
                Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
                // The cause holds no argument: see there.
                throw new RegistryUnavailable(
                        cause instanceof RedisUnavailable
                                ? "the registry gave no answer: " + cause.getMessage()
                                : "the registry's answer cannot be read",
                        cause);
            }
            return reply;
        });
    }
}
