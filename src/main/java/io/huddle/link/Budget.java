package io.huddle.link;

import java.util.concurrent.atomic.AtomicLong;

/** What the calls of all peers together may take of this node: a number and bytes. Safe for use by any thread. */
final class Budget {
    /** What a call takes of memory however short its request is. */
    private static final int LEAST_WEIGHT = 256;

    private final int mostCalls;
    private final long mostBytes;
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    Budget(int mostCalls, long mostBytes) {
        this.mostCalls = mostCalls;
        this.mostBytes = mostBytes;
    }

    /** True if there was room; then {@link #release} gives it back. */
    boolean take(int size) {
        if (calls.incrementAndGet() > mostCalls) {
            calls.decrementAndGet();
            return false;
        }
        if (bytes.addAndGet(weight(size)) > mostBytes) {
            release(size);
            return false;
        }
        return true;
    }

    void release(int size) {
        calls.decrementAndGet();
        bytes.addAndGet(-weight(size));
    }

    long calls() {
        return calls.get();
    }

    private static long weight(int size) {
        return LEAST_WEIGHT + (long) size;
    }
}
