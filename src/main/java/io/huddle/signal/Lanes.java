package io.huddle.signal;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Runs work one after the other within a lane, and lanes beside each other. An empty lane takes no memory; how much may
 * wait in one is for the caller to bound. Safe for use by any thread.
 */
final class Lanes {
    private final Map<String, CompletableFuture<?>> last = new ConcurrentHashMap<>();
    private final Executor executor;

    Lanes(Executor executor) {
        this.executor = executor;
    }

    /** Runs the work after all that the lane took before it, whether that went well or not. Never blocks. */
    <T> CompletableFuture<T> run(String lane, Callable<T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        CompletableFuture<?> before = last.put(lane, done);
        CompletableFuture<?> free = before == null ? CompletableFuture.completedFuture(null) : before;
        var unused = free.handle((was, failed) -> null)
                .thenApplyAsync(turn -> call(work), executor)
                .whenComplete((result, failed) -> {
                    last.remove(lane, done);
                    if (failed == null) {
                        done.complete(result);
                    } else {
                        done.completeExceptionally(failed);
                    }
                });
        return done;
    }

    private static <T> T call(Callable<T> work) {
        try {
            return work.call();
        } catch (Exception failed) {
            throw new CompletionException(failed);
        }
    }

    /** True if nothing is under way or waits. */
    boolean isEmpty() {
        return last.isEmpty();
    }
}
