package io.huddle.mesh;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A lock for each client id, kept only while somebody holds it or waits for it. Safe for use by any thread. */
final class Locks {
    private final ConcurrentMap<String, Shared> locks = new ConcurrentHashMap<>();

    private static final class Shared {
        private final ReentrantLock lock = new ReentrantLock(true);
        private int users;
    }

    /**
     * Runs the work while nobody else does for this id.
     *
     * @return false if it was not run, because others went on for so long
     */
    boolean alone(String id, Duration patience, Runnable work) {
        Shared mine = locks.compute(id, (key, there) -> {
            Shared shared = there == null ? new Shared() : there;
            shared.users++;
            return shared;
        });
        try {
            return isRun(mine.lock, patience, work);
        } finally {
            locks.compute(id, (key, there) -> {
                mine.users--;
                return mine.users == 0 ? null : there;
            });
        }
    }

    private static boolean isRun(ReentrantLock lock, Duration patience, Runnable work) {
        try {
            if (!lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                return false;
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
        try {
            work.run();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** How many ids have a lock now. */
    int size() {
        return locks.size();
    }
}
