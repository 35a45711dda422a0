package io.huddle.mesh;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/** A lock for each client id, kept only while somebody holds it or waits for it. Safe for use by any thread. */
final class Locks {
    private final ConcurrentMap<String, Shared> locks = new ConcurrentHashMap<>();

    private static final class Shared {
        private final ReentrantLock lock = new ReentrantLock(true);
        private int users;
    }

    /** Runs the work while nobody else does for this id. */
    void alone(String id, Runnable work) {
        Shared mine = locks.compute(id, (key, there) -> {
            Shared shared = there == null ? new Shared() : there;
            shared.users++;
            return shared;
        });
        try {
            mine.lock.lock();
            try {
                work.run();
            } finally {
                mine.lock.unlock();
            }
        } finally {
            locks.compute(id, (key, there) -> {
                mine.users--;
                return mine.users == 0 ? null : there;
            });
        }
    }
}
