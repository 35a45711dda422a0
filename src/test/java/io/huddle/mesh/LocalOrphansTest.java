package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.harness.Awaiting;
import io.huddle.registry.Capability;
import io.huddle.registry.Cleanup;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.OrphanAccount;
import io.huddle.registry.OrphanChunk;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queue in a node's memory, for registries without one. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LocalOrphansTest {
    private static final long DEAD = 7;
    private static final Duration HOUR = Duration.ofHours(1);

    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final Cemetery cemetery = Cemetery.ofSingles();

    @BeforeEach
    void lack() {
        cemetery.capableOf(Capability.FALLBACK_ORPHANS);
    }

    @AfterEach
    void end() {
        pool.shutdownNow();
    }

    private LocalOrphans queue(int items, long bytes) {
        return new LocalOrphans(cemetery.registry, new LocalOrphans.Bounds(items, bytes, HOUR), cemetery.clock::get);
    }

    private static OrphanAccount account(LocalOrphans queue) {
        return Cemetery.done(queue.account());
    }

    @Test
    void snapshot_ofManyClients_isOneItem() {
        cemetery.connect(DEAD, "client", 50);
        LocalOrphans queue = queue(1, 1 << 20);

        assertThat(queue.admit(DEAD)).isTrue();

        assertThat(account(queue).items()).isOne();
        assertThat(queue.claim().orElseThrow().clients()).hasSize(50);
        assertThat(queue.claim()).isEmpty();
    }

    @Test
    void snapshot_empty_needsNoPlace() {
        cemetery.connect(DEAD, "client", 1);
        cemetery.reserve(8, "pending");
        LocalOrphans queue = queue(1, 1 << 20);
        assertThat(queue.admit(DEAD)).isTrue();

        assertThat(queue.admit(8)).isTrue();
        assertThat(queue.admit(9)).isTrue();

        assertThat(account(queue).items()).isOne();
        assertThat(Cemetery.done(cemetery.real.getClientIncludingPending("pending"))
                        .record())
                .isNull();
    }

    @Test
    void queue_full_leavesTheRecordsThenDrainsAndGoesOn() {
        cemetery.connect(DEAD, "client", 3);
        cemetery.connect(8, "later", 2);
        LocalOrphans queue = queue(1, 1 << 20);
        assertThat(queue.admit(DEAD)).isTrue();

        assertThat(queue.admit(8)).isFalse();
        assertThat(cemetery.recordsOf(8)).hasSize(2);

        assertThat(queue.acknowledge(queue.claim().orElseThrow())).isTrue();
        assertThat(queue.admit(8)).isTrue();
        assertThat(cemetery.recordsOf(8)).isEmpty();
        assertThat(queue.claim().orElseThrow().node()).isEqualTo(8);
    }

    @Test
    void snapshot_largerThanTheRoom_isRefusedBeforeAnythingIsRemoved() {
        cemetery.connect(DEAD, "client", 30);
        LocalOrphans queue = queue(10, 500);

        assertThat(queue.admit(DEAD)).isFalse();

        assertThat(cemetery.recordsOf(DEAD)).hasSize(30);
        assertThat(account(queue))
                .extracting(OrphanAccount::items, OrphanAccount::bytes)
                .containsExactly(0L, 0L);
    }

    @Test
    void admissions_atOnce_comeOneAfterTheOther() throws Exception {
        for (long node = 10; node < 30; node++) {
            cemetery.connect(node, "client-" + node, 2);
        }
        LocalOrphans queue = queue(1, 1 << 20);
        CountDownLatch start = new CountDownLatch(1);
        AtomicInteger admitted = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(20);
        for (long node = 10; node < 30; node++) {
            long mine = node;
            pool.execute(() -> {
                try {
                    start.await();
                    if (queue.admit(mine)) {
                        admitted.incrementAndGet();
                    }
                } catch (InterruptedException stopped) {
                    throw new IllegalStateException(stopped);
                } finally {
                    done.countDown();
                }
            });
        }
        start.countDown();
        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(admitted).hasValue(1);
        assertThat(account(queue).items()).isOne();
        assertThat(cemetery.account().items()).isZero();
        int left = 0;
        for (long node = 10; node < 30; node++) {
            left += cemetery.recordsOf(node).size();
        }
        assertThat(left).isEqualTo(38);
    }

    /** What the cleanup removed counts, not what somebody listed before it. */
    @Test
    void snapshot_afterAReconnect_isWhatTheCleanupRemoved() {
        cemetery.connect(DEAD, "client", 3);
        assertThat(cemetery.recordsOf(DEAD)).hasSize(3);
        Cemetery.done(cemetery.real.unregister(
                new io.huddle.registry.Warrant(
                        DEAD, "process-" + DEAD, Cemetery.EPOCH, "operation-of-the-test", cemetery.clock.get() + 1_000),
                "client-1",
                "connection-client-1",
                false));
        cemetery.connect(8, "client-1");
        LocalOrphans queue = queue(10, 1 << 20);

        assertThat(queue.admit(DEAD)).isTrue();

        assertThat(queue.claim().orElseThrow().clients())
                .extracting(ClientRecord::clientId)
                .containsExactlyInAnyOrder("client-0", "client-2");
    }

    @Test
    void handler_changingWhatItWasGiven_changesNeitherAccountNorNextDelivery() {
        cemetery.connect(DEAD, "client", 2);
        LocalOrphans queue = queue(10, 1 << 20);
        assertThat(queue.admit(DEAD)).isTrue();
        long bytes = account(queue).bytes();
        OrphanChunk first = queue.claim().orElseThrow();

        assertThatThrownBy(() -> first.clients().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThat(Cemetery.done(queue.giveBack(first, 0, true))).isTrue();
        OrphanChunk second = queue.claim().orElseThrow();

        assertThat(second.clients()).isEqualTo(first.clients()).isNotSameAs(first.clients());
        assertThat(account(queue).bytes()).isEqualTo(bytes).isPositive();
        assertThat(queue.acknowledge(second)).isTrue();
        assertThat(account(queue).bytes()).isZero();
    }

    @Test
    void items_expire_eachByItselfAndFreeWhatTheyHeld() {
        cemetery.connect(DEAD, "client", 2);
        cemetery.connect(8, "other", 5);
        LocalOrphans queue = queue(10, 1 << 20);
        assertThat(queue.admit(DEAD)).isTrue();
        long first = account(queue).bytes();
        cemetery.clock.addAndGet(HOUR.toMillis() / 2);
        assertThat(queue.admit(8)).isTrue();
        long both = account(queue).bytes();

        cemetery.clock.addAndGet(HOUR.toMillis() / 2);

        assertThat(account(queue))
                .extracting(OrphanAccount::items, OrphanAccount::bytes)
                .containsExactly(1L, both - first);
        assertThat(queue.claim().orElseThrow().node()).isEqualTo(8);
        cemetery.clock.addAndGet(HOUR.toMillis() / 2);
        assertThat(account(queue))
                .extracting(OrphanAccount::items, OrphanAccount::bytes)
                .containsExactly(0L, 0L);
    }

    @Test
    void item_expiringInAHandlersHands_leavesTheAccountRight() {
        cemetery.connect(DEAD, "client", 2);
        LocalOrphans queue = queue(1, 1 << 20);
        assertThat(queue.admit(DEAD)).isTrue();
        OrphanChunk held = queue.claim().orElseThrow();
        cemetery.clock.addAndGet(HOUR.toMillis());
        cemetery.connect(8, "other", 1);

        assertThat(queue.admit(8)).isTrue();
        long bytes = account(queue).bytes();

        assertThat(queue.renew(held)).isFalse();
        assertThat(queue.acknowledge(held)).isFalse();
        assertThat(Cemetery.done(queue.giveBack(held, 0, true))).isFalse();
        assertThat(account(queue))
                .extracting(OrphanAccount::items, OrphanAccount::bytes)
                .containsExactly(1L, bytes);
    }

    /** Two items of one number: what a handler says of the old one is not taken for the new one. */
    @Test
    void item_expired_cannotRemoveANewerOneOfTheSameNode() {
        cemetery.connect(DEAD, "client", 2);
        List<ClientRecord> records = cemetery.recordsOf(DEAD);
        cemetery.snapshots.add(new Cleanup.Snapshot(false, records.subList(0, 1)));
        cemetery.snapshots.add(new Cleanup.Snapshot(false, records.subList(1, 2)));
        LocalOrphans queue = queue(1, 1 << 20);
        assertThat(queue.admit(DEAD)).isTrue();
        OrphanChunk old = queue.claim().orElseThrow();
        cemetery.clock.addAndGet(HOUR.toMillis());
        assertThat(queue.admit(DEAD)).isTrue();
        OrphanChunk fresh = queue.claim().orElseThrow();
        long bytes = account(queue).bytes();

        assertThat(queue.acknowledge(old)).isFalse();

        assertThat(account(queue))
                .extracting(OrphanAccount::items, OrphanAccount::bytes)
                .containsExactly(1L, bytes);
        assertThat(fresh.clients()).isEqualTo(records.subList(1, 2));
        assertThat(queue.acknowledge(fresh)).isTrue();
        assertThat(account(queue))
                .extracting(OrphanAccount::items, OrphanAccount::bytes)
                .containsExactly(0L, 0L);
    }

    @Test
    void token_ofAnEarlierClaim_isNotTakenForTheLater() {
        cemetery.connect(DEAD, "client", 2);
        LocalOrphans queue = queue(1, 1 << 20);
        assertThat(queue.admit(DEAD)).isTrue();
        OrphanChunk first = queue.claim().orElseThrow();
        assertThat(Cemetery.done(queue.giveBack(first, 0, false))).isTrue();
        OrphanChunk second = queue.claim().orElseThrow();

        assertThat(queue.acknowledge(first)).isFalse();
        assertThat(Cemetery.done(queue.giveBack(first, 0, true))).isFalse();

        assertThat(second.tries()).isOne();
        assertThat(queue.acknowledge(second)).isTrue();
    }

    @Test
    void item_givenBackWithADelay_waitsForIt() {
        cemetery.connect(DEAD, "client", 2);
        LocalOrphans queue = queue(1, 1 << 20);
        assertThat(queue.admit(DEAD)).isTrue();
        Cemetery.done(queue.giveBack(queue.claim().orElseThrow(), 2_000, true));

        cemetery.clock.addAndGet(1_999);
        assertThat(queue.claim()).isEmpty();
        cemetery.clock.addAndGet(1);

        assertThat(queue.claim().orElseThrow().tries()).isEqualTo(2);
        assertThat(account(queue).redeliveries()).isOne();
    }

    @Test
    void delivery_blockedWhileTheLeaseIsLost_isKept() throws Exception {
        cemetery.connect(DEAD, "client", 2);
        LocalOrphans queue = queue(1, 1 << 20);
        assertThat(queue.admit(DEAD)).isTrue();
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger entered = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        OrphanDrain drain = new OrphanDrain(
                queue,
                cemetery.alive::get,
                cemetery.registry::getClientIncludingPending,
                orphaned -> {
                    entered.incrementAndGet();
                    try {
                        assertThat(gate.await(20, TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException stopped) {
                        throw new IllegalStateException(stopped);
                    } finally {
                        ended.incrementAndGet();
                    }
                },
                pool,
                () -> {});
        drain.wake();
        Awaiting.until("the handler", () -> entered.get() == 1);

        cemetery.alive.set(false);
        Cemetery.done(drain.fence());
        gate.countDown();
        Awaiting.until("its end", () -> ended.get() == 1);

        assertThat(account(queue).items()).isOne();
        assertThat(List.copyOf(queue.list(5)).get(0).tries()).isZero();
        cemetery.joinAgain();
        Awaiting.until("the second delivery", () -> {
            drain.beat();
            return account(queue).items() == 0;
        });
        assertThat(entered).hasValue(2);
    }
}
