package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private final Queue<Runnable> executor = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(8);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void work_ofOneClient_isDoneInOrderAndOfOthersAtTheSameTime() {
        Turns turns = new Turns(executor::add);
        turns.add("one", () -> {
            done.add("1");
            turns.add("one", () -> done.add("3"));
        });
        turns.add("one", () -> done.add("2"));
        turns.add("two", () -> done.add("other"));
        assertThat(executor).hasSize(2);

        executor.remove().run();
        assertThat(done).containsExactly("1", "2", "3");
        executor.remove().run();
        turns.add("one", () -> done.add("4"));
        executor.remove().run();

        assertThat(done).containsExactly("1", "2", "3", "other", "4");
    }

    @Test
    void work_thatFails_keepsTheRestFromNothing() {
        Turns turns = new Turns(Runnable::run);
        turns.add("one", () -> {
            throw new IllegalStateException("as meant");
        });
        turns.add("one", () -> done.add("2"));

        assertThat(done).containsExactly("2");
    }

    @Test
    void work_withoutAnExecutor_isDoneByWhoeverBringsIt() {
        Turns turns = new Turns(work -> {
            throw new RejectedExecutionException("stopping");
        });
        turns.add("one", () -> done.add("1"));

        assertThat(done).containsExactly("1");
    }

    @Test
    void lock_ofOneClient_isHeldByOneAtATimeAndForgotten() throws Exception {
        Locks locks = new Locks();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(64);
        for (int i = 0; i < 64; i++) {
            threads.execute(() -> {
                locks.alone("one", Duration.ofSeconds(10), () -> {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                });
                all.countDown();
            });
        }

        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(most).hasValue(1);
        assertThat(locks.size()).isZero();
    }

    @Test
    void lock_thatIsHeldForTooLong_isGivenUp() throws Exception {
        Locks locks = new Locks();
        CountDownLatch isHeld = new CountDownLatch(1);
        CountDownLatch mayGo = new CountDownLatch(1);
        var holder = threads.submit(() -> locks.alone("one", Duration.ofSeconds(10), () -> {
            isHeld.countDown();
            try {
                mayGo.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }));
        assertThat(isHeld.await(10, TimeUnit.SECONDS)).isTrue();

        assertThat(locks.alone("one", Duration.ofMillis(20), () -> done.add("never")))
                .isFalse();
        assertThat(locks.alone("two", Duration.ofMillis(20), () -> done.add("other")))
                .isTrue();
        mayGo.countDown();

        assertThat(holder.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(done).containsExactly("other");
    }
}
