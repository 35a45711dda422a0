package io.huddle.registry;

/** Random sequences on the registry in memory and on a real cluster. */
class RedisClusterDifferentialIT extends RegistryDifferential {
    RedisClusterDifferentialIT() {
        super(RedisRegistries.onACluster(), roundsOfRealTime());
    }
}
