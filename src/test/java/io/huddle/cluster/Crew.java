package io.huddle.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Threads for callers that race. The first failure of any of them is the test's. */
final class Crew implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> tasks = new ArrayList<>();

    /** Starts a task; {@link #join} waits for it. */
    void run(Callable<?> task) {
        tasks.add(threads.submit(task));
    }

    /** Waits for all tasks so far, and throws what any of them threw. */
    void join() throws Exception {
        for (Future<?> task : List.copyOf(tasks)) {
            try {
                task.get();
            } catch (ExecutionException failed) {
                throw new AssertionError("a caller failed: " + failed.getCause(), failed.getCause());
            }
        }
        tasks.clear();
    }

    /** Starts something after a delay, at microseconds' precision as far as the machine has it. */
    <T> CompletableFuture<T> after(Duration delay, Supplier<CompletableFuture<T>> start) {
        Executor later = CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, threads);
        return CompletableFuture.completedFuture(true).thenComposeAsync(now -> start.get(), later);
    }

    /** Starts something again and again, each turn so long after the end of the one before, until the crew goes home. */
    void repeat(Duration pace, Supplier<CompletableFuture<?>> turn) {
        var unused = after(
                pace,
                () -> turn.get().handle((done, failed) -> {
                    if (!threads.isShutdown()) {
                        repeat(pace, turn);
                    }
                    return true;
                }));
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
