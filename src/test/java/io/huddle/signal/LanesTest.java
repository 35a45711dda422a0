package io.huddle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Awaiting;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LanesTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Lanes lanes = new Lanes(tasks::add);

    private static <T> CompletableFuture<T> run(Lanes lanes, String lane, Callable<T> work) {
        return lanes.run(lane, work, result -> CompletableFuture.completedFuture(null));
    }

    @Test
    void lane_isHeldUntilTheWorkIsOutOfIt() {
        CompletableFuture<Void> out = new CompletableFuture<>();
        CompletableFuture<String> first = lanes.run("a", () -> "first", result -> out);
        CompletableFuture<String> second = run(lanes, "a", () -> "second");

        tasks.remove().run();
        assertThat(first).as("its own result is not held up").isCompletedWithValue("first");
        assertThat(tasks).isEmpty();

        out.completeExceptionally(new IllegalStateException("however it ends"));
        tasks.remove().run();
        assertThat(second).isCompletedWithValue("second");
        assertThat(lanes.isEmpty()).isTrue();
    }

    @Test
    void work_ofOneLane_waitsForTheOneBefore() {
        CompletableFuture<String> first = run(lanes, "a", () -> "first");
        CompletableFuture<String> second = run(lanes, "a", () -> "second");
        CompletableFuture<String> other = run(lanes, "b", () -> "other");

        assertThat(tasks).as("one of each lane").hasSize(2);
        tasks.remove().run();
        assertThat(first).isCompletedWithValue("first");
        assertThat(second).isNotDone();
        tasks.remove().run();
        assertThat(other).isCompletedWithValue("other");
        tasks.remove().run();
        assertThat(second).isCompletedWithValue("second");
        assertThat(lanes.isEmpty()).isTrue();
    }

    @Test
    void work_thatFails_holdsUpNobody() {
        CompletableFuture<String> first = run(lanes, "a", () -> {
            throw new IllegalStateException("broken");
        });
        CompletableFuture<String> second = run(lanes, "a", () -> "second");

        tasks.remove().run();
        tasks.remove().run();

        assertThat(first)
                .failsWithin(Duration.ofSeconds(1))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("broken");
        assertThat(second).isCompletedWithValue("second");
        assertThat(lanes.isEmpty()).isTrue();
    }

    @Test
    void executor_thatTakesNoMore_failsTheWorkAndLeavesNothingBehind() {
        Lanes full = new Lanes(task -> {
            throw new RejectedExecutionException("full");
        });

        assertThat(run(full, "a", () -> "never"))
                .failsWithin(Duration.ofSeconds(1))
                .withThrowableOfType(ExecutionException.class);
        assertThat(full.isEmpty()).isTrue();
    }

    @Test
    void manyLanes_onManyThreads_keepTheirOrder() {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            Lanes all = new Lanes(pool);
            List<List<Integer>> done = IntStream.range(0, 10)
                    .mapToObj(lane -> Collections.synchronizedList(new ArrayList<Integer>()))
                    .toList();
            List<CompletableFuture<Boolean>> work = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                int number = i;
                int lane = i % 10;
                work.add(run(all, "lane " + lane, () -> done.get(lane).add(number)));
            }
            CompletableFuture.allOf(work.toArray(CompletableFuture[]::new))
                    .orTimeout(20, java.util.concurrent.TimeUnit.SECONDS)
                    .join();
            assertThat(done).allSatisfy(lane -> assertThat(lane).hasSize(100).isSorted());
            Awaiting.until("nothing to be under way", all::isEmpty);
        } finally {
            pool.shutdownNow();
        }
    }
}
