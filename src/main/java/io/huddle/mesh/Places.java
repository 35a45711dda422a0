package io.huddle.mesh;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A bounded number of places, of which one who asks gets an eighth at most. Safe for use by any thread. */
final class Places {
    private static final int SHARES = 8;

    private final int most;
    private final int mostEach;
    private final Map<String, Integer> held = new HashMap<>();
    private int taken;

    Places(int most) {
        this.most = most;
        this.mostEach = Math.max(1, most / SHARES);
    }

    /**
     * A place, to be given back by running what is answered; null if there is none.
     *
     * @param who whose share it is of; empty for nobody's
     */
    synchronized @Nullable Runnable take(String who) {
        int mine = held.getOrDefault(who, 0);
        if (taken >= most || (!who.isEmpty() && mine >= mostEach)) {
            return null;
        }
        taken++;
        held.put(who, mine + 1);
        AtomicBoolean isBack = new AtomicBoolean();
        return () -> {
            if (isBack.compareAndSet(false, true)) {
                giveBack(who);
            }
        };
    }

    private synchronized void giveBack(String who) {
        taken--;
        held.computeIfPresent(who, (key, count) -> count == 1 ? null : count - 1);
    }

    synchronized int taken() {
        return taken;
    }
}
