package io.huddle.link;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The time of a proof: the database's, which is the same for all nodes, or this machine's while the database does not
 * answer. Safe for use by any thread.
 *
 * <p>Strangers who knock must not occupy the database: one thread asks it, every 5 s at most, and from then on the time is
 * counted by this process. While it asks, the others go by what was read last; before anything was read they wait for a
 * second and then go by this machine's.
 */
final class ProofClock {
    private static final Logger LOG = Logger.getLogger(ProofClock.class.getName());
    static final long READING_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Reader reader;
    private final LongSupplier machine;
    private final LongSupplier nanos;
    private final ReentrantLock reads = new ReentrantLock();
    private volatile @Nullable Reading reading;

    /** Reads the database's clock, in milliseconds. */
    @FunctionalInterface
    interface Reader {
        long read() throws SQLException;
    }

    /** What the time was, and when by this process. */
    private record Reading(long ms, long at) {
        long time(long now) {
            return ms + TimeUnit.NANOSECONDS.toMillis(now - at);
        }
    }

    /**
     * @param machine milliseconds
     * @param nanos monotonic
     */
    ProofClock(Reader reader, LongSupplier machine, LongSupplier nanos) {
        this.reader = reader;
        this.machine = machine;
        this.nanos = nanos;
    }

    /** Milliseconds. */
    long now() {
        Reading last = reading;
        if (isFresh(last) || !mayRead(last)) {
            return time(last);
        }
        try {
            last = reading;
            if (!isFresh(last)) {
                last = new Reading(read(), nanos.getAsLong());
                reading = last;
            }
        } finally {
            reads.unlock();
        }
        return time(last);
    }

    private boolean isFresh(@Nullable Reading last) {
        return last != null && nanos.getAsLong() - last.at() < READING_NANOS;
    }

    private long time(@Nullable Reading last) {
        return last == null ? machine.getAsLong() : last.time(nanos.getAsLong());
    }

    /** True with the lock. */
    private boolean mayRead(@Nullable Reading last) {
        try {
            return last == null ? reads.tryLock(FIRST_NANOS, TimeUnit.NANOSECONDS) : reads.tryLock();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private long read() {
        try {
            return reader.read();
        } catch (SQLException | RuntimeException away) {
            LOG.log(Level.FINE, "a link is proven by the local clock", away);
            return machine.getAsLong();
        }
    }
}
