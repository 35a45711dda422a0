package io.huddle.mesh;

import io.huddle.registry.RegistryUnavailable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waiting for the registry, on threads that may wait. The wait is bounded, whatever the backend does. */
final class Answers {
    private static final long PATIENCE_MS = 5_000;

    private Answers() {}

    /**
     * The answer.
     *
     * @throws RegistryUnavailable if there is none in time
     */
    static <T> T of(CompletionStage<T> asked) {
        try {
            return asked.toCompletableFuture().get(PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw asThrown(failed);
        } catch (TimeoutException late) {
            throw new RegistryUnavailable("the registry did not answer in time", late);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new RegistryUnavailable("nobody waits for the registry any more", stopped);
        }
    }

    /** Asks once more if there was no answer: the same warrant has its effect once. */
    static <T> CompletionStage<T> twice(Supplier<CompletionStage<T>> question) {
        return question.get()
                .exceptionallyCompose(failed ->
                        isAway(failed) ? question.get() : java.util.concurrent.CompletableFuture.failedStage(failed));
    }

    /** True if the registry gave no answer, anywhere in the chain of causes. */
    static boolean isAway(Throwable failed) {
        Throwable cause = failed;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof RegistryUnavailable) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private static RuntimeException asThrown(ExecutionException failed) {
        Throwable cause = failed.getCause();
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof RuntimeException thrown ? thrown : new IllegalStateException(failed);
    }
}
