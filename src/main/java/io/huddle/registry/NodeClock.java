package io.huddle.registry;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clock of a registry that lives in one node: this machine's time when it was made, and from then on what has passed by
 * the monotonic clock, so that it never steps. Milliseconds. Safe for use by any thread.
 */
public final class NodeClock implements LongSupplier {
    private final long startMs = System.currentTimeMillis();
    private final long start = System.nanoTime();

    @Override
    public long getAsLong() {
        return startMs + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }
}
