package io.huddle.registry;

/** The rules of the registry, on a real cluster: no script leaves its slot. */
class RedisClusterRegistryIT extends RegistryConformance {
    RedisClusterRegistryIT() {
        super(RedisRegistries.onACluster());
    }
}
