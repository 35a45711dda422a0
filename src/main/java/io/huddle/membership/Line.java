package io.huddle.membership;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Work that is done one after the other, in the order it came, never on the thread that brought it. */
final class Line {
    private static final Logger LOG = Logger.getLogger(Line.class.getName());

    private final Alarms alarms;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    Line(Alarms alarms) {
        this.alarms = alarms;
    }

    synchronized void add(Runnable work) {
        waiting.add(work);
        if (!running) {
            running = true;
            alarms.now(this::run);
        }
    }

    synchronized boolean isIdle() {
        return !running;
    }

    private void run() {
        for (Runnable work = next(); work != null; work = next()) {
            try {
                work.run();
            } catch (RuntimeException | Error failed) {
                // What is behind it in the line has to be told all the same, a class that is missing notwithstanding.
                LOG.log(Level.SEVERE, "an observer of the membership failed", failed);
            }
        }
    }

    private synchronized @org.jspecify.annotations.Nullable Runnable next() {
        Runnable work = waiting.poll();
        running = work != null;
        return work;
    }
}
