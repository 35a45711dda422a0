package io.huddle.presence;

import java.time.Duration;
import java.time.Instant;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What was so at regular steps of the last while. Pure: time is an argument. Bounded by {@link #keep}, which whoever writes
 * calls. Safe for use by any thread.
 */
final class History<T> {
    private final NavigableMap<Instant, T> kept = new ConcurrentSkipListMap<>();

    /** The step that this instant is in, by its beginning. */
    static Instant step(Instant at, Duration step) {
        return Instant.ofEpochSecond(Math.floorDiv(at.getEpochSecond(), step.toSeconds()) * step.toSeconds());
    }

    /** @param both what becomes of the value that the step has already, and this one */
    void put(Instant step, T value, BinaryOperator<T> both) {
        kept.merge(step, value, both);
    }

    @Nullable
    T at(Instant step) {
        return kept.get(step);
    }

    /** Drops what is older, and what a clock that stepped back has left in the future. */
    void keep(Instant from, Instant to) {
        kept.headMap(from, false).clear();
        kept.tailMap(to, false).clear();
    }

    int size() {
        return kept.size();
    }
}
