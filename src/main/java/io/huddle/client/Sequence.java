package io.huddle.client;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** Runs actions one after another, in order, on threads of an executor. What bounds it is whoever adds. */
final class Sequence {
    private final Executor executor;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean busy;

    Sequence(Executor executor) {
        this.executor = executor;
    }

    /** The action must not throw. */
    void execute(Runnable action) {
        synchronized (this) {
            waiting.add(action);
            if (busy) {
                return;
            }
            busy = true;
        }
        executor.execute(this::runOne);
    }

    private void runOne() {
        Runnable next;
        synchronized (this) {
            next = waiting.remove();
        }
        try {
            next.run();
        } finally {
            boolean more;
            synchronized (this) {
                more = !waiting.isEmpty();
                busy = more;
            }
            if (more) {
                executor.execute(this::runOne);
            }
        }
    }
}
