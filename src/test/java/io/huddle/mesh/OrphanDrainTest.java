package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Awaiting;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.OrphanChunk;
import io.huddle.registry.RegistryLimits;
import io.huddle.store.DatabaseUnavailable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OrphanDrainTest {
    private static final long DEAD = 7;

    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final Cemetery cemetery = Cemetery.ofSingles();
    private final AtomicInteger redelivered = new AtomicInteger();
    private final Told told = new Told();

    @AfterEach
    void end() {
        pool.shutdownNow();
    }

    /** What was told of, and what is to be thrown for whom. */
    private static final class Told implements OrphanDrain.Handler {
        final Queue<String> clients = new ConcurrentLinkedQueue<>();
        final Queue<NodeClientsOrphaned> events = new ConcurrentLinkedQueue<>();
        final Map<String, RuntimeException> failures = new ConcurrentHashMap<>();

        @Override
        public void deliver(NodeClientsOrphaned orphaned) {
            events.add(orphaned);
            for (ClientRecord client : orphaned.clients()) {
                clients.add(client.clientId());
                RuntimeException failure = failures.get(client.clientId());
                if (failure != null) {
                    throw failure;
                }
            }
        }
    }

    private OrphanDrain drain(OrphanDrain.Handler handler, java.util.concurrent.Executor executor) {
        return new OrphanDrain(
                new DurableOrphans(cemetery.registry, cemetery::warrant),
                cemetery.alive::get,
                cemetery.registry::getClientIncludingPending,
                handler,
                executor,
                redelivered::incrementAndGet);
    }

    private OrphanDrain drain() {
        return drain(told, Runnable::run);
    }

    private void bury(String... clients) {
        for (String client : clients) {
            cemetery.connect(DEAD, client);
        }
        cemetery.bury(DEAD);
    }

    @Test
    void orphans_waiting_areToldOfOnceAndGo() {
        bury("a", "b", "c");
        OrphanDrain drain = drain();

        drain.wake();
        drain.beat();

        assertThat(told.clients).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(told.events).allSatisfy(event -> assertThat(event.node()).isEqualTo(DEAD));
        assertThat(told.events)
                .flatExtracting(NodeClientsOrphaned::clients)
                .extracting(ClientRecord::metadata)
                .contains("{\"of\":\"a\"}");
        assertThat(cemetery.account().items()).isZero();
        assertThat(redelivered).hasValue(0);
    }

    @Test
    void handler_failing_seesTheSameSnapshotAgainAfterAGrowingDelay() {
        bury("a");
        told.failures.put("a", new IllegalStateException("as ordered"));
        OrphanDrain drain = drain();

        drain.wake();
        drain.beat();
        assertThat(told.events).hasSize(1);
        for (long delay : List.of(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 32_000L, 60_000L, 60_000L)) {
            int before = told.events.size();
            cemetery.clock.addAndGet(delay - 1);
            drain.beat();
            assertThat(told.events).as("before %s ms", delay).hasSize(before);
            cemetery.clock.addAndGet(1);
            drain.beat();
            assertThat(told.events).as("after %s ms", delay).hasSize(before + 1);
        }

        assertThat(told.events.stream().distinct()).hasSize(1);
        assertThat(redelivered).hasValue(8);
        assertThat(cemetery.account().items()).isOne();
    }

    /**
     * One chunk whose handler always failed held up all others elsewhere: they waited for it, in turn, for ever. Here it gives
     * way, is set aside after its tries, and waits for an operator.
     */
    @Test
    void poison_amongEleven_holdsUpNoneAndIsSetAside() {
        bury("a", "b", "c", "d", "e", "poison", "f", "g", "h", "i", "j", "k");
        told.failures.put("poison", new IllegalStateException("as ordered"));
        OrphanDrain drain = drain();

        drain.wake();
        assertThat(told.clients.stream().filter(client -> !client.equals("poison")))
                .containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k");
        for (int beat = 0; beat < 30; beat++) {
            cemetery.clock.addAndGet(60_000);
            drain.beat();
        }

        assertThat(told.clients.stream().filter("poison"::equals)).hasSize(10);
        assertThat(cemetery.account().items()).isZero();
        assertThat(cemetery.account().deadLetters()).isOne();
        DurableOrphans queue = new DurableOrphans(cemetery.registry, cemetery::warrant);
        OrphanChunk letter = queue.list(10).get(0);
        assertThat(letter.setAside()).isTrue();
        assertThat(queue.retry("no-such-chunk")).isFalse();

        told.failures.clear();
        assertThat(queue.retry(letter.id())).isTrue();
        drain.wake();

        assertThat(told.clients.stream().filter("poison"::equals)).hasSize(11);
        assertThat(cemetery.account().deadLetters()).isZero();
        assertThat(cemetery.account().items()).isZero();
    }

    @Test
    void databaseAway_forLong_countsNoTryAndLosesNothing() {
        bury("a", "b", "c", "d", "e", "f", "g", "h");
        List.of("a", "b", "c", "d", "e", "f", "g", "h")
                .forEach(client -> told.failures.put(client, new DatabaseUnavailable("as ordered", null)));
        OrphanDrain drain = drain();

        for (int beat = 0; beat < 200; beat++) {
            int before = told.events.size();
            drain.beat();
            drain.wake();
            assertThat(told.events.size() - before)
                    .as("attempts of one beat")
                    .isPositive()
                    .isLessThanOrEqualTo(8);
            cemetery.clock.addAndGet(3_000);
        }
        assertThat(cemetery.account().deadLetters()).isZero();
        told.failures.clear();
        told.clients.clear();
        for (int beat = 0; beat < 4; beat++) {
            drain.beat();
            cemetery.clock.addAndGet(3_000);
        }

        assertThat(told.clients).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f", "g", "h");
        assertThat(cemetery.account().items()).isZero();
        assertThat(redelivered.get()).isEqualTo((int) cemetery.account().redeliveries());
    }

    @Test
    void registryAway_duringTheLookup_countsNoTry() {
        bury("a");
        cemetery.unheard.put("getClientIncludingPending", 20);
        OrphanDrain drain = drain();

        for (int beat = 0; beat < 25; beat++) {
            drain.beat();
            cemetery.clock.addAndGet(4_000);
        }

        assertThat(told.clients).containsExactly("a");
        assertThat(cemetery.account().items()).isZero();
    }

    @Test
    void claim_failing_waitsForTheNextBeat() {
        bury("a");
        cemetery.unheard.put("claimOrphaned", 2);
        OrphanDrain drain = drain();

        drain.wake();
        assertThat(told.clients).isEmpty();
        drain.beat();

        assertThat(told.clients).containsExactly("a");
    }

    @Test
    void claim_whoseAnswerWasLost_isTheSameClaim() {
        bury("a");
        cemetery.unanswered.put("claimOrphaned", 1);

        drain().wake();

        assertThat(told.clients).containsExactly("a");
        assertThat(cemetery.account().items()).isZero();
        assertThat(redelivered).hasValue(0);
    }

    @Test
    void acknowledgement_whoseAnswerWasLost_isRepeated() {
        bury("a");
        cemetery.unanswered.put("ackOrphaned", 1);

        drain().wake();

        assertThat(cemetery.account().items()).isZero();
        assertThat(cemetery.calls("ackOrphaned")).isEqualTo(2);
    }

    @Test
    void acknowledgement_neverHeard_leadsToARedelivery() {
        bury("a");
        cemetery.unheard.put("ackOrphaned", 2);
        OrphanDrain drain = drain();
        drain.wake();
        drain.beat();
        assertThat(told.clients).hasSize(1);

        cemetery.clock.addAndGet(30_000);
        drain.beat();

        assertThat(told.clients).containsExactly("a", "a");
        assertThat(redelivered).hasValue(1);
        assertThat(cemetery.account().items()).isZero();
    }

    @Test
    void clients_registeredAgain_areLeftOut() {
        Cemetery crowd = new Cemetery(Cemetery.limits(1, 16, 256));
        crowd.connect(DEAD, "gone");
        crowd.connect(DEAD, "back");
        crowd.connect(DEAD, "coming");
        crowd.bury(DEAD);
        crowd.connect(8, "back");
        crowd.reserve(8, "coming");

        new OrphanDrain(
                        new DurableOrphans(crowd.registry, crowd::warrant),
                        () -> true,
                        crowd.registry::getClientIncludingPending,
                        told,
                        Runnable::run,
                        redelivered::incrementAndGet)
                .wake();

        assertThat(told.clients).containsExactly("gone");
        assertThat(crowd.account().items()).isZero();
    }

    @Test
    void chunk_allOfWhichAreBack_goesWithoutAWord() {
        bury("a");
        cemetery.connect(8, "a");

        drain().wake();

        assertThat(told.events).isEmpty();
        assertThat(cemetery.account().items()).isZero();
    }

    @Test
    void handler_blockedWhileTheLeaseIsLost_isGivenBackAndNeverAcknowledged() throws Exception {
        bury("a");
        Blocked blocked = new Blocked();
        // One lane: another that is about to claim when the lease is lost would give the chunk back, too.
        ExecutorService lane = Executors.newSingleThreadExecutor();
        OrphanDrain drain = drain(blocked, lane);
        drain.wake();
        blocked.awaitEntered();

        cemetery.alive.set(false);
        Cemetery.done(drain.fence());

        assertThat(cemetery.calls("nackOrphaned")).isOne();
        assertThat(Cemetery.done(cemetery.real.listOrphaned(10)).get(0).tries()).isZero();
        blocked.release();
        Awaiting.until("the handler's end", () -> blocked.ended.get() == 1);
        cemetery.joinAgain();
        Awaiting.until("the second delivery", () -> {
            drain.beat();
            return cemetery.account().items() == 0;
        });
        assertThat(cemetery.calls("ackOrphaned")).isOne();
        assertThat(blocked.entered).hasValue(2);
        assertThat(redelivered).hasValue(1);
        lane.shutdown();
    }

    @Test
    void node_stopping_givesBackAndClaimsNoMore() throws Exception {
        bury("a", "b", "c", "d", "e", "f");
        Blocked blocked = new Blocked();
        OrphanDrain drain = drain(blocked, pool);
        drain.wake();
        Awaiting.until("four deliveries at once", () -> blocked.entered.get() == 4);

        Cemetery.done(drain.stop());
        blocked.release();
        Awaiting.until("the handlers' ends", () -> blocked.ended.get() == 4);
        drain.beat();
        drain.wake();

        assertThat(cemetery.calls("nackOrphaned")).isEqualTo(4);
        assertThat(cemetery.calls("ackOrphaned")).isZero();
        assertThat(cemetery.account().items()).isEqualTo(6);
        assertThat(blocked.entered).hasValue(4);
    }

    @Test
    void lease_lost_claimsNothing() {
        bury("a");
        cemetery.alive.set(false);
        OrphanDrain drain = drain();

        drain.wake();
        drain.beat();

        assertThat(cemetery.calls("claimOrphaned")).isZero();
    }

    /** The lease may be lost between the claim and its answer. */
    @Test
    void lease_lostDuringTheClaim_deliversNothingAndGivesBack() {
        bury("a");
        OrphanDrain[] drains = new OrphanDrain[1];
        drains[0] = new OrphanDrain(
                new DurableOrphans(cemetery.registry, validity -> {
                    var warrant = cemetery.warrant(validity);
                    if (cemetery.alive.getAndSet(false)) {
                        Cemetery.done(drains[0].fence());
                    }
                    return warrant;
                }),
                cemetery.alive::get,
                cemetery.registry::getClientIncludingPending,
                told,
                Runnable::run,
                redelivered::incrementAndGet);

        drains[0].wake();

        assertThat(told.clients).isEmpty();
        assertThat(cemetery.calls("claimOrphaned")).isOne();
        assertThat(cemetery.calls("nackOrphaned")).isOne();
        cemetery.joinAgain();
        drain().wake();
        assertThat(told.clients).containsExactly("a");
    }

    @Test
    void handler_longAtWork_isHeldByRenewals() throws Exception {
        bury("a");
        Blocked blocked = new Blocked();
        OrphanDrain drain = drain(blocked, pool);
        drain.wake();
        blocked.awaitEntered();

        for (int i = 0; i < 20; i++) {
            cemetery.clock.addAndGet(10_000);
            drain.renew();
            assertThat(Cemetery.done(cemetery.real.claimOrphaned(
                            cemetery.warrant(Duration.ofSeconds(9)).orElseThrow())))
                    .isEmpty();
        }
        blocked.release();
        Awaiting.until("the acknowledgement", () -> cemetery.account().items() == 0);
        assertThat(blocked.entered).hasValue(1);
    }

    @Test
    void claim_takenByAnotherMeanwhile_isNeitherAcknowledgedNorGivenBack() throws Exception {
        bury("a");
        Blocked blocked = new Blocked();
        OrphanDrain drain = drain(blocked, pool);
        drain.wake();
        blocked.awaitEntered();
        cemetery.clock.addAndGet(30_000);
        OrphanChunk others = Cemetery.done(cemetery.real.claimOrphaned(
                        cemetery.warrant(Duration.ofSeconds(9)).orElseThrow()))
                .orElseThrow();

        drain.renew();
        blocked.release();
        Awaiting.until("the handler's end", () -> blocked.ended.get() == 1);
        Cemetery.done(drain.stop());

        assertThat(cemetery.calls("ackOrphaned")).isZero();
        assertThat(cemetery.calls("nackOrphaned")).isZero();
        assertThat(Cemetery.done(cemetery.real.ackOrphaned(
                        cemetery.warrant(Duration.ofSeconds(9)).orElseThrow(), others)))
                .isTrue();
    }

    @Test
    void error_inAHandler_endsNeitherTheDrainNorItsLanes() {
        bury("a", "b");
        OrphanDrain drain = drain(
                orphaned -> {
                    told.deliver(orphaned);
                    throw new StackOverflowError("as ordered");
                },
                work -> {
                    try {
                        work.run();
                    } catch (StackOverflowError expected) {
                        told.failures.put("seen", new IllegalStateException(expected));
                    }
                });

        for (int beat = 0; beat < 9; beat++) {
            drain.beat();
            cemetery.clock.addAndGet(60_000);
        }

        assertThat(told.failures).containsKey("seen");
        assertThat(told.clients.stream().filter("a"::equals)).hasSizeGreaterThan(4);
        assertThat(told.clients.stream().filter("b"::equals)).hasSizeGreaterThan(4);
    }

    @Test
    void executor_full_isTriedAgainAtTheNextBeat() {
        bury("a");
        AtomicBoolean full = new AtomicBoolean(true);
        OrphanDrain drain = drain(told, work -> {
            if (full.get()) {
                throw new RejectedExecutionException("full");
            }
            work.run();
        });
        for (int beat = 0; beat < 10; beat++) {
            drain.beat();
        }
        full.set(false);
        drain.beat();

        assertThat(told.clients).containsExactly("a");
    }

    /** A thousand clients lie in all 64 shards: they are told of within a second. */
    @Test
    void thousandClients_inAllShards_areToldOfAtOnce() {
        Cemetery large = new Cemetery(RegistryLimits.DEFAULT);
        large.connect(DEAD, "client", 1_000);
        large.bury(DEAD);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        OrphanDrain drain = new OrphanDrain(
                new DurableOrphans(large.registry, large::warrant),
                () -> true,
                large.registry::getClientIncludingPending,
                orphaned -> {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    told.deliver(orphaned);
                    inside.decrementAndGet();
                },
                pool,
                redelivered::incrementAndGet);

        drain.wake();

        Awaiting.until(
                Duration.ofSeconds(2), "all of them", () -> large.account().items() == 0);
        assertThat(told.clients).hasSize(1_000).doesNotHaveDuplicates();
        // A step of the removal may cut a shard in two.
        assertThat(told.events.size()).isBetween(64, 72);
        assertThat(most.get()).isLessThanOrEqualTo(4);
    }

    /** A handler that ends when the test says so. */
    private static final class Blocked implements OrphanDrain.Handler {
        final AtomicInteger entered = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();
        private final CountDownLatch first = new CountDownLatch(1);
        private final CountDownLatch gate = new CountDownLatch(1);

        @Override
        public void deliver(NodeClientsOrphaned orphaned) {
            entered.incrementAndGet();
            first.countDown();
            try {
                if (!gate.await(30, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("nobody released the handler");
                }
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            } finally {
                ended.incrementAndGet();
            }
        }

        void awaitEntered() throws InterruptedException {
            assertThat(first.await(10, TimeUnit.SECONDS)).isTrue();
        }

        void release() {
            gate.countDown();
        }
    }
}
