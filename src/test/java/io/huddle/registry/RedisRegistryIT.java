package io.huddle.registry;

/** The rules of the registry, on a real Redis. */
class RedisRegistryIT extends RegistryConformance {
    RedisRegistryIT() {
        super(RedisRegistries.onAServer());
    }
}
