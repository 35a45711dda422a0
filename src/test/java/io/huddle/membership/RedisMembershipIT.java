package io.huddle.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.harness.Awaiting;
import io.huddle.harness.RedisCommands;
import io.huddle.redis.Redis;
import io.huddle.redis.RedisLimits;
import io.huddle.redis.RedisUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The store in Redis does what every store does, and knows when Redis is no longer the one it was. */
@TestInstance(TestInstance.Lifecycle.PER_METHOD)
class RedisMembershipIT extends MembershipContract {
    private static io.huddle.harness.Redis server;
    private static RedisCommands commands;

    private final List<Redis> connections = new ArrayList<>();

    @BeforeAll
    static void begin() {
        server = io.huddle.harness.Redis.create();
        commands = server.commands();
    }

    @AfterAll
    static void end() {
        commands.close();
        server.close();
    }

    @AfterEach
    void disconnect() {
        connections.forEach(Redis::close);
    }

    @Override
    MembershipBackend store() {
        commands.ask("FLUSHALL");
        return connected(server);
    }

    private RedisMembership connected(io.huddle.harness.Redis to) {
        return connected(to, new RedisLimits(2_000, 4_000, 1, 4, 2, 2));
    }

    private RedisMembership connected(io.huddle.harness.Redis to, RedisLimits limits) {
        Redis redis = new Redis(to.url(), "", limits);
        connections.add(redis);
        return new RedisMembership(redis);
    }

    @Override
    long time() {
        List<?> time = (List<?>) Objects.requireNonNull(commands.ask("TIME"));
        return Long.parseLong(String.valueOf(time.get(0))) * 1_000
                + Long.parseLong(String.valueOf(time.get(1))) / 1_000;
    }

    @Test
    void keys_all_haveOneTag() {
        MembershipBackend store = store();
        Joined joined = now(store.join(process("p"), 1));
        now(store.renew(joined.number(), "p", 0));
        now(store.declareDead(1));
        now(store.claimCleanup("x", 1));
        now(store.join(process("p"), 60_000));
        List<?> keys = (List<?>) commands.ask("KEYS", "*");
        assertThat(keys).hasSize(6).allSatisfy(key -> assertThat((String) key).startsWith("huddle:{m}:"));
    }

    /** A store that stands still for a moment; each time a join is sent again another number would be taken for nobody. */
    @Test
    void join_whileTheStoreStandsStill_takesOneNumberAndIsAnsweredLate() {
        try (io.huddle.harness.Redis own = io.huddle.harness.Redis.create()) {
            RedisMembership store = connected(own, new RedisLimits(2_000, 400, 3, 4, 2, 2));
            awaited(store::members);
            own.pause();
            CompletionStage<Joined> late = store.join(process("p"), 60_000);
            try {
                assertThatThrownBy(() -> now(store.members())).hasRootCauseInstanceOf(RedisUnavailable.class);
                assertThatThrownBy(() -> now(store.members())).hasRootCauseInstanceOf(RedisUnavailable.class);
            } finally {
                own.resume();
            }
            long number = now(late).number();
            assertThat(awaited(store::members)).extracting(NodeInfo::number).containsExactly(number);
            now(store.leave(number, "p"));
            assertThat(now(store.members())).isEmpty();
        }
    }

    @Test
    void restart_empty_isAnotherEpochWithGreaterNumbers() {
        try (io.huddle.harness.Redis own = io.huddle.harness.Redis.create()) {
            RedisMembership store = connected(own);
            Joined before = now(store.join(process("p"), 60_000));
            own.restartEmpty();
            Renewal renewal = awaited(() -> store.renew(before.number(), "p", 60_000));
            assertThat(renewal.refused()).isTrue();
            assertThat(renewal.epoch().id()).isNotEqualTo(before.epoch().id());
            Joined after = now(store.join(process("p"), 60_000));
            assertThat(after.number()).isGreaterThan(before.number());
            assertThat(after.epoch().id()).isEqualTo(renewal.epoch().id());
        }
    }

    /** It may have lost what it had not written yet; so nobody is dead by what it remembers. */
    @Test
    void restart_withData_isAnotherEpochInWhichLeasesRunAnew() {
        try (io.huddle.harness.Redis own = io.huddle.harness.Redis.create()) {
            RedisMembership store = connected(own);
            Joined before = now(store.join(process("p"), 300));
            own.stop();
            own.start();
            assertThat(awaited(() -> store.declareDead(10))).isEmpty();
            Joined after = now(store.join(process("p-2"), 60_000));
            assertThat(after.fresh()).isFalse();
            assertThat(after.epoch().id()).isNotEqualTo(before.epoch().id());
            assertThat(now(store.member(before.number())).orElseThrow().leaseUntil())
                    .isGreaterThanOrEqualTo(after.epoch().since() + 300);
            Awaiting.until(
                    "the lease ends again", () -> now(store.declareDead(10)).contains(before.number()));
        }
    }

    @Test
    void verification_afterARestart_beginsAnEpochOnce() {
        try (io.huddle.harness.Redis own = io.huddle.harness.Redis.create()) {
            RedisMembership one = connected(own);
            RedisMembership two = connected(own);
            Joined before = now(one.join(process("p"), 60_000));
            now(two.members());
            own.stop();
            own.start();
            Epoch first = awaited(() -> one.verifyEpoch(before.epoch().id()));
            Epoch second = awaited(() -> two.verifyEpoch(before.epoch().id()));
            assertThat(first.id()).isNotEqualTo(before.epoch().id()).isEqualTo(second.id());
        }
    }

    @Test
    void redis_away_isUnavailableAndNothingElse() {
        try (io.huddle.harness.Redis own = io.huddle.harness.Redis.create()) {
            RedisMembership store = connected(own);
            own.stop();
            assertThat(store.members().toCompletableFuture())
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOf(io.huddle.redis.RedisUnavailable.class);
            assertThat(store.members()
                            .toCompletableFuture()
                            .handle((nodes, failed) -> cause(failed))
                            .join())
                    .isInstanceOf(io.huddle.registry.RegistryUnavailable.class);
        }
    }

    @Test
    void subscription_survivesARestart() {
        try (io.huddle.harness.Redis own = io.huddle.harness.Redis.create()) {
            RedisMembership hears = connected(own);
            RedisMembership sends = connected(own);
            List<String> heard = Collections.synchronizedList(new ArrayList<>());
            now(hears.subscribe("a", heard::add));
            own.restartEmpty();
            Awaiting.until(Duration.ofSeconds(20), "the subscription is back", () -> {
                try {
                    now(sends.publish("a", "x"));
                } catch (CompletionException away) {
                    return false;
                }
                return !heard.isEmpty();
            });
        }
    }

    /** The same long sequence of operations on both stores; times differ, everything else is the same. */
    @Test
    void sequences_random_areAnsweredAsInMemory() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 10; round++) {
            AtomicLong clock = new AtomicLong(1_800_000_000_000L);
            MembershipSequence sequence = new MembershipSequence(
                    new LocalMembership(clock::incrementAndGet), store(), new Random(random.nextLong()));
            for (int step = 0; step < 300; step++) {
                sequence.step("seed " + seed + ", round " + round + ", step " + step);
                // At most one operation a millisecond, so that both see the same order.
                long tick = time();
                while (time() <= tick) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static @org.jspecify.annotations.Nullable Throwable cause(Throwable failed) {
        return failed instanceof CompletionException ? failed.getCause() : failed;
    }

    private static <T> T awaited(java.util.function.Supplier<java.util.concurrent.CompletionStage<T>> operation) {
        List<T> answer = new ArrayList<>();
        Awaiting.until("Redis answers", () -> {
            try {
                answer.add(now(operation.get()));
                return true;
            } catch (CompletionException away) {
                return false;
            }
        });
        return answer.get(0);
    }
}
