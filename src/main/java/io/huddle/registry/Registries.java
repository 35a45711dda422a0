package io.huddle.registry;

import io.huddle.redis.Redis;
import io.huddle.setting.Setting;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;

/** Chooses the registry: in Redis where one is configured, otherwise in the memory of this one node. */
@ApplicationScoped
public class Registries {
    @Produces
    @ApplicationScoped
    RegistryBackend registry(Redis redis) {
        RegistryLimits limits = limits();
        return redis.isConfigured() ? new RedisRegistry(redis, limits) : new InMemoryRegistry(limits, new NodeClock());
    }

    private static RegistryLimits limits() {
        RegistryLimits usual = RegistryLimits.DEFAULT;
        return new RegistryLimits(
                Setting.MESH_SHARDS.value(),
                usual.claimMs(),
                usual.orphanItems(),
                usual.orphanBytes(),
                usual.chunkBytes(),
                usual.chunkClients(),
                usual.orphanClaimMs(),
                usual.orphanTries(),
                usual.deadLetters(),
                3_000L * Setting.CLOCK_DRIFT_SECONDS.value(),
                1_000L * Setting.CLOCK_DRIFT_SECONDS.value());
    }
}
