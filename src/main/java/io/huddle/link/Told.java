package io.huddle.link;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What callers are given of a future that only the link may complete. */
final class Told {
    private Told() {}

    /** Ends as the future does, and with the same exception: a stage derived by the library would wrap it. */
    static <T> CompletionStage<T> of(CompletableFuture<T> future) {
        CompletableFuture<T> told = new CompletableFuture<>();
        CompletableFuture<T> unused = future.whenComplete((result, failed) -> {
            if (failed == null) {
                told.complete(result);
            } else {
                told.completeExceptionally(failed);
            }
        });
        return told;
    }
}
