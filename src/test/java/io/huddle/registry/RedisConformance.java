package io.huddle.registry;

import static io.huddle.registry.RegistryScene.done;

import io.huddle.harness.Awaiting;
import io.huddle.harness.RedisCommands;
import io.huddle.redis.Redis;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The conformance suite on a Redis, whose clock is a real one: what has to pass is waited for. */
abstract class RedisConformance extends RegistryConformance {
    private @Nullable Redis redis;
    private @Nullable RegistryBackend registry;
    private int shards;

    abstract RedisClients clients();

    /** A plain connection to the server that has this key. The caller closes it. */
    abstract RedisCommands commandsFor(String key);

    @Override
    RegistryBackend open(RegistryLimits limits) {
        shards = limits.shards();
        redis = clients().deployment();
        registry = new RedisRegistry(redis, limits);
        return registry;
    }

    @Override
    void pass(long ms) {
        RegistryBackend passing = Objects.requireNonNull(registry);
        long end = done(passing.time()) + ms;
        Awaiting.until(Duration.ofMillis(ms).plus(Awaiting.PATIENCE), "time passes", () -> done(passing.time()) >= end);
    }

    @Override
    public void corrupt(String clientId) {
        String key = Objects.requireNonNull(redis).key("s" + new Shards(shards).of(clientId), "clients");
        try (RedisCommands commands = commandsFor(key)) {
            commands.ask("HSET", key, clientId, "no record");
        }
    }
}
