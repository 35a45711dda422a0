package io.huddle.membership;

/**
 * How often a node renews and for how long its lease lasts; the same on every node. Immutable.
 *
 * @param heartbeatMs from one renewal to the next
 * @param leaseMs from a renewal on, on the store's clock
 * @param youngMs how long after its beginning an epoch proves no absence; zero where nothing else can have been before it
 */
public record Terms(long heartbeatMs, long leaseMs, long youngMs) {
    /** What a node stops before its lease ends, for the store's clock and its own may not run alike. */
    static final long MARGIN_MS = 500;

    public Terms {
        if (heartbeatMs < 1 || leaseMs < 2 * heartbeatMs + MARGIN_MS) {
            throw new IllegalArgumentException(
                    "a lease of " + leaseMs + " ms leaves no room for a second heartbeat of " + heartbeatMs + " ms");
        }
    }

    /** For nodes that meet in a store which may lose what it holds. */
    public static Terms shared(long heartbeatMs, long leaseMs) {
        return new Terms(heartbeatMs, leaseMs, leaseMs);
    }

    /** For a node that meets only itself: its store is as old as the process, so nobody can be connected elsewhere. */
    public static Terms alone(long heartbeatMs, long leaseMs) {
        return new Terms(heartbeatMs, leaseMs, 0);
    }

    /** How long after the sending of a renewal the lease that it renewed counts here. */
    long safeMs() {
        return leaseMs - MARGIN_MS;
    }
}
