package io.huddle.mesh;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** The states of this node as operators see them. Safe for use by any thread. */
final class Lifecycle {
    private State state = State.STARTING;
    private boolean stopping;
    private long drainedSince;
    private boolean isTold;

    /** Where a node is in its life. */
    enum State {
        STARTING,
        READY,
        DRAINING,
        STOPPED,
        /** It cannot join as it is set; an operator has to act. */
        FAILED;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Judges anew: draining over failed over what the lease says. A node that was ready and has no lease stays ready, since
     * it serves its clients.
     *
     * @return the state if it is another than before
     */
    synchronized Optional<State> next(boolean hasLease, boolean isDraining, boolean isFailed) {
        if (state == State.STOPPED) {
            return Optional.empty();
        }
        State next = state;
        if (stopping || isDraining) {
            next = State.DRAINING;
        } else if (isFailed) {
            next = State.FAILED;
        } else if (hasLease) {
            next = State.READY;
        } else if (state == State.FAILED) {
            next = State.STARTING;
        }
        boolean isNew = next != state;
        state = next;
        return isNew ? Optional.of(next) : Optional.empty();
    }

    /** From now on it only drains. */
    synchronized void stop() {
        stopping = true;
        state = State.DRAINING;
    }

    /**
     * From now on it only drains, and goes on living.
     *
     * @return false if it did already
     */
    synchronized boolean drain(long nowNanos) {
        if (stopping) {
            return false;
        }
        drainedSince = nowNanos;
        stop();
        return true;
    }

    /** True once: when a node that was told to drain has not come to its end in time. */
    synchronized boolean isOverdue(long nowNanos, Duration most, boolean isOver) {
        boolean isLate = drainedSince != 0 && !isOver && nowNanos - drainedSince > most.toNanos();
        boolean isNew = isLate && !isTold;
        isTold |= isLate;
        return isNew;
    }

    /** It has left. */
    synchronized void stopped() {
        state = State.STOPPED;
    }

    synchronized State state() {
        return state;
    }
}
