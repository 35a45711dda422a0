package io.huddle.membership;

import io.huddle.registry.RegistryUnavailable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Runs work at a time, on a thread of the server. */
@FunctionalInterface
interface Alarms {
    Logger LOG = Logger.getLogger(Alarms.class.getName());

    /** @return calls it off, if it has not begun */
    Runnable in(long nanos, Runnable work);

    default Runnable inMs(long ms, Runnable work) {
        return in(TimeUnit.MILLISECONDS.toNanos(ms), work);
    }

    default void now(Runnable work) {
        in(0, work);
    }

    /**
     * What an operation answers, or a failure after so long. Nothing is called off by that: what was sent may still
     * happen.
     */
    default <T> CompletionStage<T> within(Duration limit, Supplier<CompletionStage<T>> operation) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Runnable off = in(
                limit.toNanos(),
                () -> answer.completeExceptionally(new RegistryUnavailable(
                        "no answer within " + limit.toMillis() + " ms", new TimeoutException())));
        try {
            operation.get().whenComplete((value, failed) -> {
                off.run();
                if (failed == null) {
                    answer.complete(value);
                } else {
                    answer.completeExceptionally(failed);
                }
            });
        } catch (RuntimeException refused) {
            off.run();
            answer.completeExceptionally(refused);
        }
        return answer;
    }

    /** On the server's threads. Work that throws is logged; what comes while the server stops is dropped. */
    static Alarms on(ScheduledExecutorService scheduler) {
        return (nanos, work) -> {
            try {
                ScheduledFuture<?> scheduled = scheduler.schedule(() -> contained(work), nanos, TimeUnit.NANOSECONDS);
                return () -> scheduled.cancel(false);
            } catch (RejectedExecutionException | IllegalStateException stopping) {
                LOG.log(Level.FINE, "the server takes no work any more", stopping);
                return () -> {};
            }
        };
    }

    private static void contained(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException defect) {
            LOG.log(Level.SEVERE, "work of the membership failed", defect);
        }
    }
}
