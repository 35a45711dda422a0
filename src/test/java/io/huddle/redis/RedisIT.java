package io.huddle.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.harness.Awaiting;
import io.huddle.harness.RedisCluster;
import io.huddle.harness.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The connection to Redis, over everything that may happen to it. */
class RedisIT {
    private static final Script ECHO = Script.of("echo");
    private static final RedisLimits LIMITS = new RedisLimits(500, 500, 1, 4, 1, 1);

    @Test
    void script_withBytes_comesBackAsItWas() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        try (io.huddle.harness.Redis server = io.huddle.harness.Redis.create();
                Redis redis = new Redis(server.url(), "", RedisLimits.DEFAULT)) {
            // Twice: unknown to the server, and known.
            for (int i = 0; i < 2; i++) {
                Reply reply = join(redis, "x", all, "äöü", 9_007_199_254_740_991L);
                assertThat(reply.text(0)).isEqualTo("huddle:{x}:echo");
                assertThat(reply.number(1)).isGreaterThan(1_700_000_000_000L);
                assertThat(new String(reply.list(2).bytes(0), ISO_8859_1)).isEqualTo(new String(all, ISO_8859_1));
                assertThat(reply.list(2).text(1)).isEqualTo("äöü");
                assertThat(reply.list(2).number(2)).isEqualTo(9_007_199_254_740_991L);
                assertThat(reply.bytes(3)).isEqualTo(all);
                assertThat(reply.has(4)).isFalse();
            }
            try (RedisCommands commands = server.commands()) {
                assertThat(commands.text("INFO", "commandstats")).contains("cmdstat_eval:calls=1,");
                commands.ask("SCRIPT", "FLUSH");
            }
            assertThat(join(redis, "x", "1").has(0)).isTrue();
        }
    }

    @Test
    void redis_thatIsDownAtFirst_isUsedAsSoonAsItIsUp() {
        try (io.huddle.harness.Redis server = io.huddle.harness.Redis.create()) {
            server.stop();
            try (Redis redis = new Redis(server.url(), "", LIMITS)) {
                assertThatThrownBy(() -> join(redis, "x", "1"))
                        .isInstanceOf(CompletionException.class)
                        .hasCauseInstanceOf(RedisUnavailable.class);
                assertThat(redis.isAnswering()).isFalse();
                server.start();
                awaitAnswer(redis, "x", Duration.ofSeconds(2));
                assertThat(redis.isAnswering()).isTrue();
            }
        }
    }

    @Test
    void redis_thatComesAndGoes_failsInTimeAndIsFoundAgain() {
        try (io.huddle.harness.Redis server = io.huddle.harness.Redis.create();
                Redis redis = new Redis(server.url(), "", LIMITS)) {
            join(redis, "x", "1");
            server.kill9();
            assertFailsWithin(redis, 700);
            server.start();
            awaitAnswer(redis, "x", Duration.ofSeconds(2));
            server.pause();
            assertFailsWithin(redis, 700);
            assertFailsWithin(redis, 700);
            server.resume();
            awaitAnswer(redis, "x", Duration.ofSeconds(2));
        }
    }

    /** Whoever asked was told that it failed, and has perhaps asked somebody else. */
    @Test
    void operation_whoseConnectionComesTooLate_isNotDone() {
        try (io.huddle.harness.Redis server = io.huddle.harness.Redis.create();
                Redis redis = new Redis(server.url(), "", new RedisLimits(10_000, 500, 0, 4, 1, 1))) {
            AtomicInteger done = new AtomicInteger();
            server.pause();
            CompletionStage<Integer> asked =
                    redis.call(client -> CompletableFuture.completedFuture(done.incrementAndGet()));
            CompletionStage<Integer> askedToTheEnd =
                    redis.callToTheEnd(client -> CompletableFuture.completedFuture(done.incrementAndGet()));
            assertThatThrownBy(() -> asked.toCompletableFuture().join()).hasCauseInstanceOf(RedisUnavailable.class);
            server.resume();
            awaitAnswer(redis, "x", Duration.ofSeconds(5));
            assertThatThrownBy(() -> askedToTheEnd.toCompletableFuture().join())
                    .hasCauseInstanceOf(RedisUnavailable.class);
            assertThat(done).hasValue(0);
        }
    }

    @Test
    void redis_withPassword_isUsedAndNeverTellsIt() {
        try (io.huddle.harness.Redis server = io.huddle.harness.Redis.create("--requirepass", "s3cret/:@+ %")) {
            String right = "redis://:s3cret%2F%3A%40+%20%25@127.0.0.1:" + server.port();
            try (Redis redis = new Redis(right, "", LIMITS)) {
                awaitAnswer(redis, "x", Duration.ofSeconds(2));
            }
            String wrong = "redis://default:wr0ng@127.0.0.1:" + server.port();
            try (Redis redis = new Redis(wrong, "", LIMITS)) {
                assertThatThrownBy(() -> join(redis, "x", "1"))
                        .hasCauseInstanceOf(RedisUnavailable.class)
                        .satisfies(thrown -> assertThat(thrown.toString()).doesNotContain("wr0ng", "s3cret"));
            }
        }
    }

    @Test
    void redis_asCluster_survivesTheEndOfAMaster() {
        try (RedisCluster cluster = RedisCluster.create();
                Redis redis = new Redis(cluster.url(), "deployment-1", LIMITS)) {
            awaitAnswer(redis, "x", Duration.ofSeconds(5));
            for (int i = 0; i < 64; i++) {
                assertThat(join(redis, "s" + i, "1").text(0)).isEqualTo("deployment-1:{s" + i + "}:echo");
            }
            cluster.killMasterOf("{s7}");
            awaitAnswer(redis, "s7", Duration.ofSeconds(5));
            for (int i = 0; i < 64; i++) {
                assertThat(join(redis, "s" + i, "1").has(0)).isTrue();
            }
        }
    }

    private static void assertFailsWithin(Redis redis, long millis) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> join(redis, "x", "1")).hasCauseInstanceOf(RedisUnavailable.class);
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isLessThan(millis);
    }

    private static void awaitAnswer(Redis redis, String tag, Duration deadline) {
        Awaiting.until(deadline, "an answer", () -> {
            try {
                return join(redis, tag, "1").has(0);
            } catch (CompletionException notYet) {
                return false;
            }
        });
    }

    private static Reply join(Redis redis, String tag, Object... arguments) {
        return ECHO.run(redis, List.of(redis.key(tag, "echo")), arguments)
                .toCompletableFuture()
                .join();
    }
}
