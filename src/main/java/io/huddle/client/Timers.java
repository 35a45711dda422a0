package io.huddle.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs something later, on the executor. Without a scheduler of the owner it is the one thread that the JDK keeps for
 * delays of futures, shared by all clients; cancelling takes the entry out at once.
 */
final class Timers {
    private final Executor executor;
    private final @Nullable ScheduledExecutorService scheduler;

    Timers(Executor executor, @Nullable ScheduledExecutorService scheduler) {
        this.executor = executor;
        this.scheduler = scheduler;
    }

    /** Cancel what this answers as soon as it is not needed. */
    Future<?> after(Duration delay, Runnable action) {
        if (scheduler != null) {
            return scheduler.schedule(() -> executor.execute(action), delay.toNanos(), TimeUnit.NANOSECONDS);
        }
        CompletableFuture<Boolean> due =
                new CompletableFuture<Boolean>().completeOnTimeout(true, delay.toNanos(), TimeUnit.NANOSECONDS);
        var unused = due.thenRunAsync(action, executor);
        return due;
    }
}
