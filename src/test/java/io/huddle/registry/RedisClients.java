package io.huddle.registry;

import io.huddle.harness.Awaiting;
import io.huddle.redis.Redis;
import io.huddle.redis.RedisLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Fresh registries on one Redis: each a deployment of its own. */
final class RedisClients implements AutoCloseable {
    private static final RedisLimits LIMITS = new RedisLimits(2_000, 3_000, 1, 4, 1, 1);

    private final AtomicInteger deployments = new AtomicInteger();
    private final List<Redis> open = new ArrayList<>();
    private final String url;

    RedisClients(String url) {
        this.url = url;
    }

    /** A connection that answers, under a name that nobody used before. The one before is closed. */
    synchronized Redis deployment() {
        close();
        Redis redis = new Redis(url, "deployment-" + deployments.incrementAndGet(), LIMITS);
        open.add(redis);
        RedisRegistry registry = new RedisRegistry(redis, RegistryLimits.DEFAULT);
        Awaiting.until("an answer of Redis", () -> {
            try {
                return registry.time().toCompletableFuture().join() > 0;
            } catch (CompletionException notYet) {
                return false;
            }
        });
        return redis;
    }

    @Override
    public synchronized void close() {
        open.forEach(Redis::close);
        open.clear();
    }
}
