package io.huddle.mesh;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An answer that is good for a second, however many ask meanwhile. Whoever asks waits for a second at most. */
final class Recent<T> {
    private static final long GOOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<CompletionStage<T>> source;
    private final LongSupplier nanos;
    private final AtomicReference<@Nullable Reading<T>> last = new AtomicReference<>();

    /** @param nanos a clock that only grows */
    Recent(Supplier<CompletionStage<T>> source, LongSupplier nanos) {
        this.source = source;
        this.nanos = nanos;
    }

    private record Reading<T>(long at, CompletableFuture<T> answer) {}

    /** Empty if there is no answer. */
    Optional<T> value() {
        try {
            return Optional.of(reading().answer().get(1, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException unknown) {
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private Reading<T> reading() {
        Reading<T> known = last.get();
        long now = nanos.getAsLong();
        if (known != null && now - known.at() < GOOD_NANOS) {
            return known;
        }
        Reading<T> fresh = new Reading<>(now, new CompletableFuture<>());
        if (!last.compareAndSet(known, fresh)) {
            // Somebody else asks already.
            Reading<T> others = last.get();
            return others == null ? fresh : others;
        }
        ask(fresh.answer());
        return fresh;
    }

    private void ask(CompletableFuture<T> answer) {
        try {
            source.get().whenComplete((value, failed) -> {
                if (failed == null) {
                    answer.complete(value);
                } else {
                    answer.completeExceptionally(failed);
                }
            });
        } catch (RuntimeException failed) {
            answer.completeExceptionally(failed);
        }
    }
}
