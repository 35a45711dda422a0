package io.huddle.registry;

import static io.huddle.registry.RegistryScene.done;

import io.huddle.harness.Awaiting;
import io.huddle.harness.RedisCluster;
import io.huddle.harness.RedisCommands;
import io.huddle.redis.Redis;
import io.huddle.redis.RedisLimits;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Fresh registries on one Redis: each a deployment of its own. The clock is a real one, so what has to pass is waited for. */
final class RedisRegistries implements RegistrySource {
    private static final RedisLimits LIMITS = new RedisLimits(2_000, 3_000, 1, 4, 1, 1);

    private final AtomicInteger deployments = new AtomicInteger();
    private final String url;
    private final Function<String, RedisCommands> serverOf;
    private final Runnable end;
    private @Nullable Redis redis;
    private @Nullable RedisRegistry registry;
    private int shards;

    private RedisRegistries(String url, Function<String, RedisCommands> serverOf, Runnable end) {
        this.url = url;
        this.serverOf = serverOf;
        this.end = end;
    }

    /** On somebody's server. */
    static RedisRegistries on(io.huddle.harness.Redis server) {
        return new RedisRegistries(server.url(), key -> server.commands(), () -> {});
    }

    static RedisRegistries on(RedisCluster cluster) {
        return new RedisRegistries(cluster.url(), key -> cluster.masterOf(key).commands(), () -> {});
    }

    /** On a server of their own, which ends with them. */
    static RedisRegistries onAServer() {
        io.huddle.harness.Redis server = io.huddle.harness.Redis.create();
        return new RedisRegistries(server.url(), key -> server.commands(), server::close);
    }

    static RedisRegistries onACluster() {
        RedisCluster cluster = RedisCluster.create();
        return new RedisRegistries(cluster.url(), key -> cluster.masterOf(key).commands(), cluster::close);
    }

    /** One that answers, under a name that nobody used before. The connection of the one before is closed. */
    @Override
    public RedisRegistry open(RegistryLimits limits) {
        disconnect();
        Redis opened = new Redis(url, "deployment-" + deployments.incrementAndGet(), LIMITS);
        RedisRegistry made = new RedisRegistry(opened, limits);
        redis = opened;
        registry = made;
        shards = limits.shards();
        Awaiting.until("an answer of Redis", () -> isAnswering(made));
        return made;
    }

    /** The connection of the registry that was opened last. */
    Redis redis() {
        return Objects.requireNonNull(redis);
    }

    @Override
    public void pass(long ms) {
        RegistryBackend passing = Objects.requireNonNull(registry);
        long end = done(passing.time()) + ms;
        Awaiting.until(Duration.ofMillis(ms).plus(Awaiting.PATIENCE), "time passes", () -> done(passing.time()) >= end);
    }

    @Override
    public void corrupt(String clientId) {
        String key = recordsOf(clientId);
        try (RedisCommands commands = serverOf.apply(key)) {
            commands.ask("HSET", key, clientId, "no record");
        }
    }

    /** Where a client's record lies. */
    String recordsOf(String clientId) {
        return redis().key("s" + new Shards(shards).of(clientId), "clients");
    }

    static boolean isAnswering(RegistryBackend registry) {
        try {
            return registry.time().toCompletableFuture().join() > 0;
        } catch (CompletionException notYet) {
            return false;
        }
    }

    @Override
    public void close() {
        disconnect();
        end.run();
    }

    private void disconnect() {
        if (redis != null) {
            redis.close();
        }
    }
}
