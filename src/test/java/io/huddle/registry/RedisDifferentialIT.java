package io.huddle.registry;

/** Random sequences on the registry in memory and on a real Redis. */
class RedisDifferentialIT extends RegistryDifferential {
    RedisDifferentialIT() {
        super(RedisRegistries.onAServer(), roundsOfRealTime());
    }
}
