package io.huddle.stream;

import io.huddle.web.Traces;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What every stream of a node shares.
 *
 * @param closers close a socket on a thread that may wait for it, and are told whether it is known to be stuck
 * @param pauses permits for readers that wait for a receiver of bytes; what has none is not waited for
 * @param ends told of each stream that has died and whether it was public
 */
record Services(
        Limits limits,
        Dispatcher dispatcher,
        StreamMetrics metrics,
        Traffic traffic,
        Traces traces,
        BiConsumer<Boolean, Runnable> closers,
        Semaphore pauses,
        BiConsumer<ClientStream, Boolean> ends) {
    @Nullable
    String trace() {
        return traces.current();
    }

    void ended(ClientStream stream, boolean wasPublic) {
        ends.accept(stream, wasPublic);
    }
}
