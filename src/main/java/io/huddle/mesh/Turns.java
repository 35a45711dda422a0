package io.huddle.mesh;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Work that is done one after the other for each client, in the order in which it came, and at the same time for different
 * clients. Nobody waits for it. Safe for use by any thread.
 */
final class Turns {
    private static final Logger LOG = Logger.getLogger(Turns.class.getName());

    /** What waits, by client; an empty list while the last of it is being done. Immutable lists, replaced atomically. */
    private final ConcurrentMap<String, List<Runnable>> lines = new ConcurrentHashMap<>();

    private final Executor executor;

    Turns(Executor executor) {
        this.executor = executor;
    }

    void add(String client, Runnable work) {
        AtomicBoolean idle = new AtomicBoolean();
        lines.compute(client, (id, waiting) -> {
            idle.set(waiting == null);
            return waiting == null ? List.of(work) : joined(waiting, work);
        });
        if (idle.get()) {
            begin(client);
        }
    }

    private static List<Runnable> joined(List<Runnable> waiting, Runnable work) {
        List<Runnable> all = new ArrayList<>(waiting);
        all.add(work);
        return List.copyOf(all);
    }

    private void begin(String client) {
        try {
            executor.execute(() -> run(client));
        } catch (RejectedExecutionException full) {
            // The server stops: whoever brings work does it.
            LOG.log(Level.FINE, "the executor takes no more", full);
            run(client);
        }
    }

    private void run(String client) {
        while (true) {
            List<Runnable> due = new ArrayList<>();
            lines.computeIfPresent(client, (id, waiting) -> {
                due.addAll(waiting);
                return waiting.isEmpty() ? null : List.of();
            });
            if (due.isEmpty()) {
                return;
            }
            due.forEach(Turns::attempt);
        }
    }

    private static void attempt(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException failed) {
            LOG.log(Level.SEVERE, "an observer of clients failed", failed);
        }
    }
}
