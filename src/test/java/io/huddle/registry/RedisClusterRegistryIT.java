package io.huddle.registry;

import io.huddle.harness.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The rules of the registry, on a real cluster: no script leaves its slot. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisClusterRegistryIT extends RegistryConformance {
    private final RedisCluster server = RedisCluster.create();
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
