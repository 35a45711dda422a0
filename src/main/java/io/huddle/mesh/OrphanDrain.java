package io.huddle.mesh;

import io.huddle.registry.ClientRecord;
import io.huddle.registry.OrphanChunk;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.registry.Sight;
import io.huddle.store.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Takes chunks of orphaned clients one after the other, tells of them, and acknowledges. Safe for use by any thread.
 *
 * <p>Up to four lanes at once: a lane that found a chunk starts the next one, a lane that found none ends. So a quiet
 * node asks once a beat, and 64 shards are empty within a second. A chunk that fails goes back with a growing delay and
 * holds up no other. If it is not the chunk but what it needs that is away, four failures end the run until the next beat.
 *
 * <p>Each delivery is settled once: acknowledged, given back, or lost. When the lease is lost, or the node stops, every
 * delivery under way is given back at once, to be told again by whoever claims it next; what its handler says afterwards
 * counts for nothing.
 */
final class OrphanDrain {
    private static final Logger LOG = Logger.getLogger(OrphanDrain.class.getName());
    private static final int LANES = 4;

    /** After so many a run ends: it is not the chunks, it is the database. */
    private static final int OUTAGES_A_RUN = 4;

    /** Longer than a beat, so that the next run begins with other chunks. */
    private static final long OUTAGE_DELAY_MS = 4_000;

    private static final long LEAST_DELAY_MS = 1_000;
    private static final long MOST_DELAY_MS = 60_000;

    /** Tells of orphaned clients; what it throws decides what becomes of the chunk. */
    @FunctionalInterface
    interface Handler {
        void deliver(NodeClientsOrphaned orphaned);
    }

    private final OrphanQueue queue;
    private final BooleanSupplier mayDeliver;
    private final Function<String, CompletionStage<Sight>> lookup;
    private final Handler handler;
    private final Executor executor;
    private final Runnable redelivered;

    private final Object lock = new Object();
    private final Set<Delivery> active = ConcurrentHashMap.newKeySet();
    private int lanes;
    private boolean wanted;
    private int outages;

    /** Grows whenever the lease is lost: a claim from before is not delivered after. */
    private volatile long fences;

    private volatile boolean stopped;

    /**
     * @param mayDeliver true while this node can prove its lease and absence from the registry means something
     * @param lookup what is known of a client id now
     * @param handler called on the executor's threads
     * @param redelivered told of each delivery that is not a chunk's first
     */
    OrphanDrain(
            OrphanQueue queue,
            BooleanSupplier mayDeliver,
            Function<String, CompletionStage<Sight>> lookup,
            Handler handler,
            Executor executor,
            Runnable redelivered) {
        this.queue = queue;
        this.mayDeliver = mayDeliver;
        this.lookup = lookup;
        this.handler = handler;
        this.executor = executor;
        this.redelivered = redelivered;
    }

    /** A chunk in the hands of this node. */
    private static final class Delivery {
        private final OrphanChunk chunk;
        private final AtomicBoolean settled = new AtomicBoolean();

        Delivery(OrphanChunk chunk) {
            this.chunk = chunk;
        }

        /** True for the one who may say how it ended. */
        boolean settle() {
            return settled.compareAndSet(false, true);
        }

        boolean isSettled() {
            return settled.get();
        }
    }

    /** A beat of the node: looks for chunks again, whatever was away at the last run. */
    void beat() {
        synchronized (lock) {
            outages = 0;
        }
        wake();
    }

    /** There may be something to deliver. Does not block. */
    void wake() {
        synchronized (lock) {
            if (stopped || outages >= OUTAGES_A_RUN || !mayDeliver.getAsBoolean()) {
                return;
            }
            if (lanes == LANES) {
                wanted = true;
                return;
            }
            lanes++;
        }
        try {
            executor.execute(this::lane);
        } catch (RejectedExecutionException full) {
            LOG.log(Level.FINE, "orphans wait for the next beat", full);
            synchronized (lock) {
                lanes--;
            }
        }
    }

    private void lane() {
        boolean runs = true;
        try {
            while (runs) {
                runs = next() || isWantedAgain();
            }
        } finally {
            if (runs) {
                // An error that nobody caught ends the lane and not the drain.
                synchronized (lock) {
                    lanes--;
                }
            }
        }
    }

    /** False if the lane is over. A wish that came while all lanes were busy is this one's. */
    private boolean isWantedAgain() {
        synchronized (lock) {
            boolean again = wanted && !stopped && outages < OUTAGES_A_RUN;
            wanted = false;
            if (!again) {
                lanes--;
            }
            return again;
        }
    }

    /** Deals with one chunk; false if there is none, or none may be taken. */
    private boolean next() {
        Delivery delivery = claim();
        if (delivery == null) {
            return false;
        }
        wake();
        try {
            attempt(delivery);
        } finally {
            active.remove(delivery);
            if (delivery.settle()) {
                CompletionStage<Boolean> unused = giveBack(delivery, delay(delivery.chunk.tries()), true);
            }
        }
        return true;
    }

    private @Nullable Delivery claim() {
        long before = fences;
        if (!isRunning()) {
            return null;
        }
        try {
            Delivery delivery = queue.claim().map(Delivery::new).orElse(null);
            if (delivery == null) {
                return null;
            }
            active.add(delivery);
            if (delivery.chunk.tries() > 1) {
                redelivered.run();
            }
            if (fences != before || stopped) {
                active.remove(delivery);
                CompletionStage<Boolean> unused = release(delivery);
                return null;
            }
            return delivery;
        } catch (RuntimeException failed) {
            Level level = Answers.isAway(failed) ? Level.FINE : Level.SEVERE;
            LOG.log(level, "no orphans could be claimed; the next beat tries again", failed);
            return null;
        }
    }

    private boolean isRunning() {
        synchronized (lock) {
            return !stopped && outages < OUTAGES_A_RUN && mayDeliver.getAsBoolean();
        }
    }

    private void attempt(Delivery delivery) {
        try {
            List<ClientRecord> gone = stillGone(delivery.chunk.clients());
            if (!gone.isEmpty() && !delivery.isSettled()) {
                handler.deliver(new NodeClientsOrphaned(delivery.chunk.node(), gone));
            }
            LOG.info(() -> "told of " + gone.size() + " of the "
                    + delivery.chunk.clients().size() + " clients in a chunk of the dead node "
                    + delivery.chunk.node());
        } catch (RuntimeException failed) {
            failed(delivery, failed);
            return;
        }
        if (!mayDeliver.getAsBoolean()) {
            CompletionStage<Boolean> unused = release(delivery);
        } else if (delivery.settle()) {
            acknowledge(delivery.chunk);
        }
    }

    /** Without those that have a record again, be it pending: they are somebody's. */
    private List<ClientRecord> stillGone(List<ClientRecord> clients) {
        List<CompletionStage<Sight>> sights = new ArrayList<>(clients.size());
        clients.forEach(client -> sights.add(lookup.apply(client.clientId())));
        List<ClientRecord> gone = new ArrayList<>(clients.size());
        for (int i = 0; i < clients.size(); i++) {
            if (Answers.of(sights.get(i)).record() == null) {
                gone.add(clients.get(i));
            }
        }
        return gone;
    }

    private void acknowledge(OrphanChunk chunk) {
        try {
            if (!queue.acknowledge(chunk)) {
                LOG.fine("a chunk of orphans was claimed by another node meanwhile; it is told of twice");
            }
        } catch (RegistryUnavailable away) {
            LOG.log(Level.FINE, "a chunk of orphans was delivered and may be so once more", away);
        }
    }

    private void failed(Delivery delivery, RuntimeException failed) {
        boolean isOutage = Answers.isAway(failed) || Failure.of(failed) != Failure.DEFECT;
        if (isOutage) {
            synchronized (lock) {
                outages++;
            }
        }
        LOG.log(isOutage ? Level.FINE : Level.SEVERE, "a chunk of orphans was not delivered", failed);
        if (delivery.settle()) {
            long delayMs = isOutage ? OUTAGE_DELAY_MS : delay(delivery.chunk.tries());
            CompletionStage<Boolean> unused = giveBack(delivery, delayMs, !isOutage);
        }
    }

    private static long delay(int tries) {
        int doublings = Math.max(0, Math.min(tries - 1, 6));
        return Math.min(MOST_DELAY_MS, LEAST_DELAY_MS << doublings);
    }

    private CompletionStage<Boolean> release(Delivery delivery) {
        return delivery.settle() ? giveBack(delivery, 0, false) : CompletableFuture.completedFuture(false);
    }

    /** Its answer need not be waited for: a claim that cannot be given back lapses. */
    private CompletionStage<Boolean> giveBack(Delivery delivery, long delayMs, boolean countsAsTry) {
        if (!countsAsTry && delivery.chunk.tries() == 1) {
            // The next claim will call itself the first again.
            redelivered.run();
        }
        return queue.giveBack(delivery.chunk, delayMs, countsAsTry).exceptionally(failed -> {
            LOG.log(Level.FINE, "a chunk of orphans was not given back; its claim lapses", failed);
            return false;
        });
    }

    /** Goes on holding what is being delivered. To be called well within the time of a claim. */
    void renew() {
        for (Delivery delivery : active) {
            try {
                if (!delivery.isSettled() && !queue.renew(delivery.chunk)) {
                    // Another node may have it by now, which alone says how it ends.
                    delivery.settle();
                }
            } catch (RegistryUnavailable away) {
                LOG.log(Level.FINE, "the claim of a chunk of orphans was not renewed", away);
            }
        }
    }

    /**
     * The lease is lost: gives back whatever is being delivered. Does not block.
     *
     * @return complete once the registry has answered, whatever it did
     */
    CompletionStage<Void> fence() {
        synchronized (lock) {
            fences++;
        }
        return CompletableFuture.allOf(active.stream()
                .map(delivery -> release(delivery).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    /** The same for good. */
    CompletionStage<Void> stop() {
        stopped = true;
        return fence();
    }
}
