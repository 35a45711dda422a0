package io.huddle.time;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The last reading of something that is read again and again, for as long as it can be believed. Whoever shows it shows
 * nothing rather than what was true once. Never blocks; safe for use by any thread.
 */
public final class Latest<T> {
    private final long goodNanos;
    private final LongSupplier nanos;
    private final AtomicReference<@Nullable Reading<T>> last = new AtomicReference<>();

    /**
     * @param good how long a reading may be shown
     * @param nanos a clock that only grows, for instance {@link System#nanoTime}
     */
    public Latest(Duration good, LongSupplier nanos) {
        this.goodNanos = good.toNanos();
        this.nanos = nanos;
    }

    private record Reading<T>(T value, long at) {}

    public void put(T value) {
        last.set(new Reading<>(value, nanos.getAsLong()));
    }

    /** The source did not answer. */
    public void forget() {
        last.set(null);
    }

    /** Empty without a reading, or with one that is too old. */
    public Optional<T> value() {
        Reading<T> reading = last.get();
        return reading == null || nanos.getAsLong() - reading.at() > goodNanos
                ? Optional.empty()
                : Optional.of(reading.value());
    }
}
