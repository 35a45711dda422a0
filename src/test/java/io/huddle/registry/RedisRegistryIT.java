package io.huddle.registry;

import io.huddle.harness.RedisCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The rules of the registry on a real Redis. */
class RedisRegistryIT extends RedisConformance {
    @SuppressWarnings("NullAway.Init")
    private static io.huddle.harness.Redis server;

    @SuppressWarnings("NullAway.Init")
    private static RedisClients clients;

    @BeforeAll
    static void start() {
        server = io.huddle.harness.Redis.create();
        clients = new RedisClients(server.url());
    }

    @AfterAll
    static void stop() {
        clients.close();
        server.close();
    }

    @Override
    RedisClients clients() {
        return clients;
    }

    @Override
    RedisCommands commandsFor(String key) {
        return server.commands();
    }
}
