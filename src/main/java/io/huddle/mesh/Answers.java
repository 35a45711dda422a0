package io.huddle.mesh;

import io.huddle.registry.RegistryUnavailable;
import io.huddle.web.Causes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waiting for registry and nodes, on threads that may wait. The wait is bounded, whatever the other side does. */
final class Answers {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private Answers() {}

    /**
     * The registry's answer.
     *
     * @throws RegistryUnavailable if there is none in time
     */
    static <T> T of(CompletionStage<T> asked) {
        return within(PATIENCE, asked);
    }

    /**
     * The answer; otherwise what the question failed with.
     *
     * @throws RegistryUnavailable if there is none in time, or none because the registry is away
     */
    static <T> T within(Duration most, CompletionStage<T> asked) {
        try {
            return asked.toCompletableFuture().get(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            if (isAway(failed)) {
                throw new RegistryUnavailable("the registry did not answer", failed);
            }
            throw Causes.unchecked(failed);
        } catch (TimeoutException late) {
            throw new RegistryUnavailable("no answer in time", late);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new RegistryUnavailable("nobody waits for the answer any more", stopped);
        }
    }

    /** Asks once more if there was no answer: the same warrant has its effect once. */
    static <T> CompletionStage<T> twice(Supplier<CompletionStage<T>> question) {
        return question.get()
                .exceptionallyCompose(
                        failed -> isAway(failed) ? question.get() : CompletableFuture.failedStage(failed));
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
}
