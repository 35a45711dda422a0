package io.huddle.registry;

import io.huddle.harness.Redis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The rules of the registry, on a real Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisRegistryIT extends RegistryConformance {
    private final Redis server = Redis.create();
    private final RedisRegistries registries = RedisRegistries.on(server);

    @AfterAll
    void stop() {
        registries.close();
        server.close();
    }

    @Override
    RegistryBackend open(RegistryLimits limits) {
        return registries.open(limits);
    }

    @Override
    void pass(long ms) {
        registries.pass(ms);
    }

    @Override
    public void corrupt(String clientId) {
        registries.corrupt(clientId);
    }
}
