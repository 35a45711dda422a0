package io.huddle.registry;

import io.huddle.harness.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** Random sequences on the registry in memory and on a real cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisClusterDifferentialIT extends RegistryDifferential {
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
    void corrupt(String clientId) {
        registries.corrupt(clientId);
    }

    @Override
    int rounds() {
        // More of them, for a longer look, with -Dhuddle.rounds.
        return Integer.getInteger("huddle.rounds", 2);
    }
}
