package io.huddle.presence;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** When something that is looked at again and again was looked at last. Safe for use by any thread; looks come one by one. */
final class Looks {
    private final LongSupplier nanos;
    private final long recentNanos;
    private final Object lock = new Object();

    /** When the last look that is over began; null before the first. Guarded by the lock, as the next. */
    private @Nullable Long began;

    /** Completes when the next look that begins is over. */
    private CompletableFuture<Void> next = new CompletableFuture<>();

    /** One look. */
    @FunctionalInterface
    interface Look {
        void look() throws SQLException;
    }

    /** @param recentNanos a look that began so long ago says nothing any more */
    Looks(LongSupplier nanos, long recentNanos) {
        this.nanos = nanos;
        this.recentNanos = recentNanos;
    }

    /** Looks; one that fails is over, too. */
    void look(Look look) throws SQLException {
        long start = nanos.getAsLong();
        CompletableFuture<Void> mine;
        synchronized (lock) {
            mine = next;
            next = new CompletableFuture<>();
        }
        try {
            look.look();
        } finally {
            synchronized (lock) {
                began = start;
            }
            mine.complete(null);
        }
    }

    /** Completes at once if the last look is recent, and otherwise when one that begins from now on is over, or after so long. */
    CompletionStage<Void> recent(long mostMs) {
        synchronized (lock) {
            return began != null && nanos.getAsLong() - began < recentNanos
                    ? CompletableFuture.completedFuture(null)
                    : next.copy().completeOnTimeout(null, mostMs, TimeUnit.MILLISECONDS);
        }
    }
}
