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

    Loop() throws IOException {
        this.selector = Selector.open();
    }

    Selector selector() {
        return selector;
    }

    /** @param work run between events; gives the nanoseconds until it wants to run again */
    void run(BooleanSupplier done, LongSupplier work) throws IOException {
        while (!done.getAsBoolean()) {
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
