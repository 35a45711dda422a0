package io.huddle.mesh;

import io.huddle.registry.Capability;
import io.huddle.registry.Cleanup;
import io.huddle.registry.RegistryBackend;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Removes what dead nodes left in the registry, one node after the other in bounded steps, and then acknowledges that it is
 * done. Safe for use by any thread; nothing here blocks its caller.
 *
 * <p>What was active becomes orphans in the same atomic step that removes it, never in a later one. If there is no room for
 * them, nothing is removed and the next beat goes on; meanwhile the others have their turn. A backend that can neither
 * keep orphans nor hand them over in one step is not asked to remove anything.
 *
 * <p>A SIGKILL costs nothing: the obligation is the membership's, and whichever node has it next goes on.
 */
final class Remains {
    private static final Logger LOG = Logger.getLogger(Remains.class.getName());
    private static final int RECORDS_A_STEP = 256;

    /** A turn of one dead node; far more than 64 shards and 10,000 clients need. */
    private static final int STEPS_A_TURN = 1_000;

    /** More are not remembered; the membership repeats itself. */
    private static final int MOST_OWED = 1_024;

    /** Tells the membership that nothing of a number is left. */
    @FunctionalInterface
    interface Acknowledgement {
        CompletionStage<Boolean> cleaned(long number);
    }

    private final RegistryBackend registry;
    private final LocalOrphans local;
    private final Acknowledgement acknowledgement;
    private final Runnable wake;
    private final Executor executor;

    private final Object lock = new Object();

    /** Numbers whose remains may still be there. Guarded by the lock, as the next two. */
    private final Set<Long> owed = new LinkedHashSet<>();

    /** Those of them that are to have a turn. */
    private final Set<Long> due = new LinkedHashSet<>();

    private boolean working;
    private volatile boolean told;

    /** @param wake called when there are orphans to deliver */
    Remains(
            RegistryBackend registry,
            LocalOrphans local,
            Acknowledgement acknowledgement,
            Runnable wake,
            Executor executor) {
        this.registry = registry;
        this.local = local;
        this.acknowledgement = acknowledgement;
        this.wake = wake;
        this.executor = executor;
    }

    /** A number was declared dead and this node is to remove its remains. May be said often. */
    void died(long number) {
        synchronized (lock) {
            if (owed.size() >= MOST_OWED && !owed.contains(number)) {
                return;
            }
            owed.add(number);
            due.add(number);
        }
        begin();
    }

    /** Goes on with what could not be finished. */
    void again() {
        synchronized (lock) {
            due.addAll(owed);
        }
        begin();
    }

    private void begin() {
        synchronized (lock) {
            if (working || due.isEmpty()) {
                return;
            }
            working = true;
        }
        try {
            executor.execute(this::work);
        } catch (RejectedExecutionException full) {
            LOG.log(Level.FINE, "the remains of dead nodes wait for the next beat", full);
            rest();
        }
    }

    /** This node's obligations are another's by now. What is under way ends with its step. */
    void forget() {
        synchronized (lock) {
            owed.clear();
            due.clear();
        }
    }

    private void work() {
        boolean works = true;
        try {
            for (Long number = next(); number != null; number = next()) {
                if (settle(number)) {
                    synchronized (lock) {
                        owed.remove(number);
                    }
                }
            }
            works = false;
        } finally {
            if (works) {
                rest();
            }
        }
    }

    /** Whose turn it is; null if it is nobody's, and then the work is over. */
    private @Nullable Long next() {
        synchronized (lock) {
            Iterator<Long> all = due.iterator();
            if (!all.hasNext()) {
                working = false;
                return null;
            }
            Long number = all.next();
            all.remove();
            return number;
        }
    }

    private void rest() {
        synchronized (lock) {
            working = false;
        }
    }

    private boolean isOwed(long number) {
        synchronized (lock) {
            return owed.contains(number);
        }
    }

    private boolean settle(long number) {
        try {
            if (!remove(number)) {
                return false;
            }
            if (!Answers.of(acknowledgement.cleaned(number))) {
                LOG.log(Level.FINE, "the remains of node {0} are another node''s task by now", number);
            }
            return true;
        } catch (RuntimeException failed) {
            Level level = Answers.isAway(failed) ? Level.FINE : Level.SEVERE;
            LOG.log(level, "the remains of a dead node were not removed; the next beat goes on", failed);
            return false;
        }
    }

    private boolean remove(long number) {
        if (registry.capabilities().contains(Capability.DURABLE_ORPHANS)) {
            return removeDurably(number);
        }
        if (registry.capabilities().contains(Capability.FALLBACK_ORPHANS)) {
            boolean isRemoved = local.admit(number);
            wake.run();
            return isRemoved;
        }
        if (!told) {
            told = true;
            LOG.severe("this registry can neither keep the clients of a dead node nor hand them over in one step;"
                    + " nothing is removed");
        }
        return false;
    }

    private boolean removeDurably(long number) {
        for (int step = 0; step < STEPS_A_TURN && isOwed(number); step++) {
            Cleanup cleanup = Answers.of(registry.cleanupNodeAndEnqueueOrphaned(number, RECORDS_A_STEP));
            if (cleanup.orphans() > 0) {
                wake.run();
            }
            if (cleanup.done()) {
                return true;
            }
            if (cleanup.full() && cleanup.orphans() == 0) {
                // What is left has no room. Where there was some, other shards go on.
                return false;
            }
        }
        return false;
    }
}
