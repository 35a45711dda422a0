package io.huddle.signal;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Runs work one after the other within a lane, and lanes beside each other. An empty lane takes no memory; how much may
 * wait in one is for the caller to bound. Safe for use by any thread.
 */
final class Lanes {
    private final Map<String, CompletableFuture<Void>> last = new ConcurrentHashMap<>();
    private final Executor executor;

    Lanes(Executor executor) {
        this.executor = executor;
    }

    /**
     * Runs the work after all that the lane took before it, whether that went well or not. Never blocks.
     *
     * @param out of the work's result: when the next in the lane may begin; what never ends holds the lane for ever
     */
    <T> CompletableFuture<T> run(String lane, Callable<T> work, Function<T, CompletionStage<Void>> out) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        CompletableFuture<Void> before = last.put(lane, over);
        CompletableFuture<Void> free = before == null ? CompletableFuture.completedFuture(null) : before;
        CompletableFuture<T> done = free.thenApplyAsync(turn -> call(work), executor);
        var unused = done.thenCompose(out).whenComplete((result, failed) -> {
            last.remove(lane, over);
            over.complete(null);
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
