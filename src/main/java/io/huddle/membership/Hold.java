package io.huddle.membership;

import io.huddle.membership.Membership.Lease;
import java.util.concurrent.TimeUnit;

/**
 * One lease of this node: until when it is safe, and what the store's clock says meanwhile. Safe for use by any thread.
 * It never becomes safe again by itself: whoever finds it unsafe gives it up.
 */
final class Hold {
    final Lease lease;
    /** The store may have lost records since this node last knew it. */
    final boolean emptied;

    private final Terms terms;
    private final Clocks clocks;
    private Clocks.Instant sent;
    private long storeMs;
    private long storeReadNanos;

    /** From when on others of this node see it; before, its epoch may not have begun in the whole registry. */
    private volatile boolean announced;

    /** The rest is guarded by the member's lock. */
    int flying;

    boolean isDoubted;

    int failures;
    boolean renewedOnce;
    long beatAtNanos;
    long published;
    Runnable beat = () -> {};
    Runnable expiry = () -> {};

    Hold(Lease lease, boolean emptied, Terms terms, Clocks clocks, Clocks.Instant sent) {
        this.lease = lease;
        this.emptied = emptied;
        this.terms = terms;
        this.clocks = clocks;
        this.sent = sent;
        this.storeMs = lease.epoch().now();
        this.storeReadNanos = clocks.nanos().getAsLong();
    }

    /** What is left until the lease cannot be proven any more; zero or less if it cannot. */
    synchronized long remainingNanos() {
        return TimeUnit.MILLISECONDS.toNanos(terms.safeMs()) - clocks.elapsedNanos(sent);
    }

    boolean isSafe() {
        return remainingNanos() > 0;
    }

    /** A renewal sent then was answered now with this time of the store. Answers may overtake each other. */
    synchronized void renewed(Clocks.Instant when, long nowOfStore) {
        if (when.nanos() - sent.nanos() > 0) {
            sent = when;
            storeMs = nowOfStore;
            storeReadNanos = clocks.nanos().getAsLong();
        }
    }

    /** The store's clock, rather too early than too late: its answer took some time to come here. */
    synchronized long storeMs() {
        return storeMs + clocks.elapsedMs(storeReadNanos);
    }

    /** True while absence proves nothing, since whoever is connected elsewhere may not have said so yet. */
    boolean isYoung() {
        return terms.youngMs() > 0 && storeMs() - lease.epoch().since() < terms.youngMs();
    }

    boolean isAnnounced() {
        return announced;
    }

    void announce() {
        announced = true;
    }

    void quiet() {
        beat.run();
        expiry.run();
    }
}
