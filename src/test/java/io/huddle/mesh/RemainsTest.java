package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.registry.Capability;
import io.huddle.registry.OrphanChunk;
import io.huddle.registry.RegistryUnavailable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RemainsTest {
    private static final long DEAD = 7;

    private final List<Long> cleaned = new ArrayList<>();
    private final AtomicInteger woken = new AtomicInteger();

    private Remains remains(Cemetery cemetery, Executor executor) {
        LocalOrphans local = new LocalOrphans(cemetery.registry, LocalOrphans.Bounds.DEFAULT, cemetery.clock::get);
        return new Remains(cemetery.registry, local, this::cleaned, woken::incrementAndGet, executor);
    }

    private CompletableFuture<Boolean> cleaned(long number) {
        cleaned.add(number);
        return CompletableFuture.completedFuture(true);
    }

    @Test
    void deadNode_withManyClients_isRemovedInStepsAndAcknowledgedOnce() {
        Cemetery cemetery = new Cemetery(Cemetery.limits(4, 4_096, 16));
        cemetery.connect(DEAD, "client", 1_000);
        cemetery.reserve(DEAD, "pending");
        cemetery.connect(8, "other");

        remains(cemetery, Runnable::run).died(DEAD);

        assertThat(cemetery.recordsOf(DEAD)).isEmpty();
        assertThat(cemetery.recordsOf(8)).hasSize(1);
        assertThat(cemetery.calls("cleanupNodeAndEnqueueOrphaned")).isBetween(4L, 100L);
        assertThat(Cemetery.done(cemetery.real.listOrphaned(1_000)).stream()
                        .mapToInt(chunk -> chunk.clients().size())
                        .sum())
                .isEqualTo(1_000);
        assertThat(cleaned).containsExactly(DEAD);
        assertThat(woken).hasPositiveValue();
    }

    @Test
    void deadNode_withoutClients_isAcknowledged() {
        remains(Cemetery.ofSingles(), Runnable::run).died(DEAD);
        assertThat(cleaned).containsExactly(DEAD);
    }

    @Test
    void queue_full_leavesTheRecordsAndGoesOnWhenThereIsRoom() {
        Cemetery cemetery = new Cemetery(Cemetery.limits(1, 5, 1));
        cemetery.connect(DEAD, "client", 12);
        cemetery.connect(9, "of-another", 1);
        Remains remains = remains(cemetery, Runnable::run);

        remains.died(DEAD);
        remains.died(DEAD);
        assertThat(cemetery.account().items()).isEqualTo(5);
        assertThat(cemetery.recordsOf(DEAD)).hasSize(7);
        assertThat(cleaned).isEmpty();

        for (int beat = 0; beat < 2; beat++) {
            deliverAll(cemetery);
            remains.again();
        }
        assertThat(cemetery.recordsOf(DEAD)).isEmpty();
        assertThat(cemetery.account().items()).isEqualTo(2);
        assertThat(cleaned).containsExactly(DEAD);
    }

    @Test
    void queue_fullForOneNode_doesNotHoldUpAnEmptyOne() {
        Cemetery cemetery = new Cemetery(Cemetery.limits(1, 1, 1));
        cemetery.connect(DEAD, "client", 3);
        Remains remains = remains(cemetery, Runnable::run);

        remains.died(DEAD);
        remains.died(8);

        assertThat(cleaned).containsExactly(8L);
    }

    @Test
    void registry_away_isTriedAgainAtTheNextBeat() {
        Cemetery cemetery = Cemetery.ofSingles();
        cemetery.connect(DEAD, "client", 3);
        cemetery.unheard.put("cleanupNodeAndEnqueueOrphaned", 1);
        cemetery.unanswered.put("cleanupNodeAndEnqueueOrphaned", 1);
        Remains remains = remains(cemetery, Runnable::run);

        remains.died(DEAD);
        remains.again();
        assertThat(cleaned).isEmpty();
        remains.again();

        assertThat(cleaned).containsExactly(DEAD);
        assertThat(cemetery.account().items()).isEqualTo(3);
    }

    @Test
    void acknowledgement_failed_isRepeatedWithoutASecondOrphan() {
        Cemetery cemetery = Cemetery.ofSingles();
        cemetery.connect(DEAD, "client", 3);
        AtomicInteger tries = new AtomicInteger();
        LocalOrphans local = new LocalOrphans(cemetery.registry, LocalOrphans.Bounds.DEFAULT, cemetery.clock::get);
        Remains remains = new Remains(
                cemetery.registry,
                local,
                number -> tries.getAndIncrement() == 0
                        ? CompletableFuture.failedFuture(new RegistryUnavailable("as ordered", new Throwable()))
                        : cleaned(number),
                () -> {},
                Runnable::run);

        remains.died(DEAD);
        remains.again();
        remains.again();

        assertThat(tries).hasValue(2);
        assertThat(cleaned).containsExactly(DEAD);
        assertThat(cemetery.account().items()).isEqualTo(3);
    }

    /** The lead time is short: a death that is told during the work on another is not to wait for a beat. */
    @Test
    void death_toldWhileAnotherIsWorkedOn_hasItsTurnAtOnce() {
        Deque<Runnable> tasks = new ArrayDeque<>();
        Cemetery cemetery = Cemetery.ofSingles();
        Remains[] remains = new Remains[1];
        LocalOrphans local = new LocalOrphans(cemetery.registry, LocalOrphans.Bounds.DEFAULT, cemetery.clock::get);
        remains[0] = new Remains(
                cemetery.registry,
                local,
                number -> {
                    if (number == DEAD) {
                        remains[0].died(8);
                    }
                    return cleaned(number);
                },
                () -> {},
                tasks::add);

        remains[0].died(DEAD);
        assertThat(tasks).hasSize(1);
        tasks.remove().run();

        assertThat(cleaned).containsExactly(DEAD, 8L);
        assertThat(tasks).isEmpty();
    }

    @Test
    void lease_lost_dropsWhatWasOwed() {
        Deque<Runnable> tasks = new ArrayDeque<>();
        Cemetery cemetery = Cemetery.ofSingles();
        cemetery.connect(DEAD, "client", 3);
        Remains remains = remains(cemetery, tasks::add);

        remains.died(DEAD);
        remains.forget();
        tasks.remove().run();
        remains.again();

        assertThat(tasks).isEmpty();
        assertThat(cemetery.calls("cleanupNodeAndEnqueueOrphaned")).isZero();
        assertThat(cemetery.recordsOf(DEAD)).hasSize(3);
    }

    @Test
    void executor_full_isTriedAgainAtTheNextBeat() {
        Deque<Runnable> tasks = new ArrayDeque<>();
        boolean[] full = {true};
        Remains remains = remains(Cemetery.ofSingles(), work -> {
            if (full[0]) {
                throw new RejectedExecutionException("full");
            }
            tasks.add(work);
        });
        remains.died(DEAD);
        full[0] = false;
        remains.again();
        tasks.remove().run();
        assertThat(cleaned).containsExactly(DEAD);
    }

    @Test
    void backend_withoutADurableQueue_isCleanedForTheFallback() {
        Cemetery cemetery = Cemetery.ofSingles();
        cemetery.capableOf(Capability.FALLBACK_ORPHANS);
        cemetery.connect(DEAD, "client", 3);

        remains(cemetery, Runnable::run).died(DEAD);

        assertThat(cemetery.calls("cleanupNodeForFallback")).isOne();
        assertThat(cemetery.calls("cleanupNodeAndEnqueueOrphaned")).isZero();
        assertThat(cemetery.recordsOf(DEAD)).isEmpty();
        assertThat(woken).hasPositiveValue();
        assertThat(cleaned).containsExactly(DEAD);
    }

    @Test
    void backend_withNeither_isNeverAskedToDestroyAnything() {
        Cemetery cemetery = Cemetery.ofSingles();
        cemetery.capableOf(Capability.CLAIMS);
        cemetery.connect(DEAD, "client", 3);
        Remains remains = remains(cemetery, Runnable::run);

        remains.died(DEAD);
        remains.again();

        assertThat(cemetery.calls).doesNotContain("cleanupNode", "cleanupNodeForFallback");
        assertThat(cemetery.calls).doesNotContain("cleanupNodeAndEnqueueOrphaned");
        assertThat(cemetery.recordsOf(DEAD)).hasSize(3);
        assertThat(cleaned).isEmpty();
    }

    private static void deliverAll(Cemetery cemetery) {
        DurableOrphans queue = new DurableOrphans(cemetery.registry, cemetery::warrant);
        for (var chunk = queue.claim(); chunk.isPresent(); chunk = queue.claim()) {
            OrphanChunk one = chunk.get();
            assertThat(queue.acknowledge(one)).isTrue();
            cemetery.clock.addAndGet(Duration.ofMillis(1).toMillis());
        }
    }
}
