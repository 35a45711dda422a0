package io.huddle.bench;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The selector that serves all lines. Everything here and in the lines runs on the thread that calls {@link #run}. */
final class Loop {
    /** For work that only ever follows an answer. */
    static final LongSupplier NO_WORK = () -> TimeUnit.MILLISECONDS.toNanos(100);

    private final Selector selector;
    private Runnable tick = () -> {};
    private long interval = Long.MAX_VALUE;
    private long ticked = System.nanoTime();

    Loop() throws IOException {
        this.selector = Selector.open();
    }

    Selector selector() {
        return selector;
    }

    /** Does this from time to time while it runs, whatever it runs for. */
    void every(long nanos, Runnable work) {
        interval = nanos;
        tick = work;
    }

    /** Serves the lines for a while. */
    void rest(double seconds) throws IOException {
        long until = System.nanoTime() + (long) (seconds * 1e9);
        run(() -> System.nanoTime() >= until, () -> TimeUnit.MILLISECONDS.toNanos(5));
    }

    /** @param work run between events; gives the nanoseconds until it wants to run again */
    void run(BooleanSupplier done, LongSupplier work) throws IOException {
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - ticked > interval) {
                ticked = System.nanoTime();
                tick.run();
            }
            long wait = work.getAsLong();
            if (wait < 1_000_000) {
                selector.selectNow(Loop::ready);
            } else {
                selector.select(Loop::ready, TimeUnit.NANOSECONDS.toMillis(wait));
            }
        }
    }

    private static void ready(SelectionKey key) {
        ((Line) key.attachment()).ready();
    }
}
