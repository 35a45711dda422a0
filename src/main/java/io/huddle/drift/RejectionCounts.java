package io.huddle.drift;

import io.huddle.presence.StaleCommand;
import io.huddle.web.Ids;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What this node refused as an older generation's, by room, until it is written: twice a second, and only where there was
 * something. However many old tabs there are, a room costs the database two small writes a second. Safe for use by any
 * thread.
 *
 * <p>A SIGKILL loses the counts of half a second. A writing that failed is made up for by the next one.
 */
@ApplicationScoped
public class RejectionCounts {
    /** Beyond it a node does not tell rooms apart any more; by then they drift in other ways, too. */
    private static final int MOST_ROOMS = 1_000;

    private final String node = Ids.make('n');
    private final AtomicLong unnoted = new AtomicLong();
    private Map<String, Integer> counts = new HashMap<>();

    void refused(@Observes StaleCommand stale) {
        add(stale.room(), 1);
    }

    /** The same for all of this process' counts and for no other's. */
    String node() {
        return node;
    }

    /** How many were not counted for want of room. */
    long unnoted() {
        return unnoted.get();
    }

    /** Takes what was counted since the last time. */
    synchronized Map<String, Integer> take() {
        Map<String, Integer> taken = counts;
        counts = new HashMap<>();
        return taken;
    }

    /** Gives back what could not be written. */
    void giveBack(Map<String, Integer> taken) {
        taken.forEach(this::add);
    }

    private synchronized void add(String room, int rejections) {
        if (counts.size() >= MOST_ROOMS && !counts.containsKey(room)) {
            unnoted.addAndGet(rejections);
        } else {
            counts.merge(room, rejections, Integer::sum);
        }
    }
}
