package io.huddle.registry;

import static io.huddle.registry.RegistryScene.EPOCH;
import static io.huddle.registry.RegistryScene.META;
import static io.huddle.registry.RegistryScene.N1;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Redis;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Tells how fast the registry is on this machine; that every operation is answered is all it asserts. */
class RedisThroughputIT {
    private static final Logger LOG = Logger.getLogger(RedisThroughputIT.class.getName());
    private static final int OPERATIONS = 20_000;
    private static final int AT_ONCE = 128;

    @Test
    void operations_manyAtOnce_areAllAnswered() throws InterruptedException {
        try (Redis server = Redis.create();
                RedisRegistries registries = RedisRegistries.on(server)) {
            RegistryScene on = new RegistryScene(registries.open(RegistryLimits.DEFAULT), registries::pass);
            long notAfter = on.now() + 30_000;
            time(
                    "register",
                    i -> on.backend
                            .register(
                                    warrant("register", i, notAfter),
                                    RegistryScene.unordered("client-" + i, "connection-" + i))
                            .thenApply(Written::isOk)
                            .toCompletableFuture());
            time(
                    "lookup",
                    i -> on.backend
                            .getClient("client-" + i)
                            .thenApply(found -> found.isPresent())
                            .toCompletableFuture());
            time(
                    "update",
                    i -> on.backend
                            .updateMetadata(warrant("update", i, notAfter), "client-" + i, "connection-" + i, META)
                            .thenApply(Written::isOk)
                            .toCompletableFuture());
        }
    }

    private static Warrant warrant(String what, int i, long notAfter) {
        return new Warrant(N1.node(), N1.process(), EPOCH, "operation-" + what + "-" + i, notAfter);
    }

    private static void time(String what, IntFunction<CompletableFuture<Boolean>> operation)
            throws InterruptedException {
        Semaphore room = new Semaphore(AT_ONCE);
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < OPERATIONS; i++) {
            assertThat(room.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            answers.add(operation.apply(i).whenComplete((answer, thrown) -> room.release()));
        }
        assertThat(answers).allMatch(CompletableFuture::join);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        LOG.info(what + ": " + OPERATIONS * 1_000L / Math.max(1, millis) + " a second, " + AT_ONCE + " at once");
    }
}
