package io.huddle.mesh;

import io.huddle.registry.ClientRecord;
import io.huddle.registry.Sight;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether the client of a connection that has ended has left, or has moved: decided from record and claim at one instant,
 * and only while no claim is open. A committed takeover is a move, an aborted one was none. As long as nothing can be told
 * it is asked again, with every beat. Safe for use by any thread; nothing blocks.
 *
 * <p>Only a node that may deliver, before it asks and after, takes an absent record for an absent client: in a young epoch
 * the record may be one that another node has not brought back yet.
 */
final class Departures {
    /** Questions under way at a time: a room that empties at once must not crowd out the registry's other work. */
    static final int AT_ONCE = 64;

    private final Function<String, CompletionStage<Sight>> registry;
    private final BooleanSupplier mayDeliver;
    private final Set<Ended> undecided = ConcurrentHashMap.newKeySet();
    private final Queue<Ended> due = new ConcurrentLinkedQueue<>();
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final AtomicInteger asking = new AtomicInteger();

    private static final class Ended {
        private final String clientId;
        private final Runnable left;

        /** True from when it is to be asked until it was answered, so that no beat asks what is being asked. */
        private final AtomicBoolean isDue = new AtomicBoolean();

        Ended(String clientId, Runnable left) {
            this.clientId = clientId;
            this.left = left;
        }
    }

    private enum Verdict {
        LEFT,
        MOVED,
        OPEN
    }

    Departures(Function<String, CompletionStage<Sight>> registry, BooleanSupplier mayDeliver) {
        this.registry = registry;
        this.mayDeliver = mayDeliver;
    }

    /** @param left called once, on any thread, if the client has left */
    void ended(String clientId, Runnable left) {
        Ended ended = new Ended(clientId, left);
        undecided.add(ended);
        begin(List.of(ended));
    }

    void again() {
        begin(undecided);
    }

    int size() {
        return undecided.size();
    }

    private void begin(Iterable<Ended> all) {
        if (!mayDeliver.getAsBoolean()) {
            return;
        }
        for (Ended ended : all) {
            if (ended.isDue.compareAndSet(false, true)) {
                due.add(ended);
            }
        }
        askWhatIsDue();
    }

    /** By one thread at a time, which also does what others bring meanwhile: an answer at once does not nest. */
    private void askWhatIsDue() {
        if (asking.getAndIncrement() > 0) {
            return;
        }
        int brought = 1;
        while (brought > 0) {
            for (Ended ended = next(); ended != null; ended = next()) {
                ask(ended);
            }
            brought = asking.addAndGet(-brought);
        }
    }

    private @Nullable Ended next() {
        if (!places.tryAcquire()) {
            return null;
        }
        Ended ended = due.poll();
        if (ended == null) {
            places.release();
        }
        return ended;
    }

    private void ask(Ended ended) {
        var unused = sight(ended).handle((sight, failed) -> {
            places.release();
            Verdict verdict = failed == null ? judge(sight) : Verdict.OPEN;
            ended.isDue.set(false);
            if (verdict != Verdict.OPEN && undecided.remove(ended) && verdict == Verdict.LEFT) {
                ended.left.run();
            }
            askWhatIsDue();
            return null;
        });
    }

    private CompletionStage<Sight> sight(Ended ended) {
        try {
            return registry.apply(ended.clientId);
        } catch (RuntimeException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    private Verdict judge(@Nullable Sight sight) {
        if (sight == null || sight.claim() != null || sight.corrupt()) {
            return Verdict.OPEN;
        }
        // A record of this very connection is one of a number that has ended: it becomes an orphan, and that is told.
        ClientRecord record = sight.record();
        if (record != null) {
            return Verdict.MOVED;
        }
        return mayDeliver.getAsBoolean() ? Verdict.LEFT : Verdict.OPEN;
    }
}
