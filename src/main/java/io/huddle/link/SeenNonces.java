package io.huddle.link;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The nonces of handshakes that were proven, for as long as one could come again: a proof's time may be 30 s from this
 * node's clock, either way. Safe for use by any thread.
 */
final class SeenNonces {
    static final int SECONDS = 61;

    private final int most;
    private final LongSupplier clock;
    private final List<Set<String>> wheel = Stream.generate(() -> (Set<String>) new HashSet<String>())
            .limit(SECONDS)
            .toList();
    private final Set<String> all = new HashSet<>();
    private long turnedTo = Long.MIN_VALUE;

    /** What became of a nonce. */
    enum Use {
        FIRST,
        REPEATED,
        FULL
    }

    /** @param clock nanoseconds, monotonic */
    SeenNonces(int most, LongSupplier clock) {
        this.most = most;
        this.clock = clock;
    }

    /** Uses a nonce up. To be asked only once all else of the handshake is proven, so that strangers fill nothing. */
    synchronized Use use(String nonce) {
        long second = TimeUnit.NANOSECONDS.toSeconds(clock.getAsLong());
        turnTo(second);
        if (all.contains(nonce)) {
            return Use.REPEATED;
        }
        if (all.size() >= most) {
            return Use.FULL;
        }
        all.add(nonce);
        bucket(second).add(nonce);
        return Use.FIRST;
    }

    synchronized int size() {
        return all.size();
    }

    /** Forgets what lies in the buckets that the wheel has passed since. */
    private void turnTo(long second) {
        if (turnedTo == Long.MIN_VALUE) {
            turnedTo = second;
        }
        long passed = Math.min(second - turnedTo, SECONDS);
        for (long i = 0; i < passed; i++) {
            Set<String> old = bucket(second - i);
            all.removeAll(old);
            old.clear();
        }
        turnedTo = Math.max(turnedTo, second);
    }

    private Set<String> bucket(long second) {
        return wheel.get((int) Math.floorMod(second, (long) SECONDS));
    }
}
