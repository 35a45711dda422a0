package io.huddle.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Awaiting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose time proofs have, and that a database that hangs holds nobody up. */
@Timeout(30)
class ProofClockTest {
    private static final long DATABASE = 1_800_000_000_000L;
    private static final long MACHINE = 1_700_000_000_000L;

    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong(-7);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile ProofClock.Reader reader = () -> DATABASE;
    private final ProofClock clock = new ProofClock(
            () -> {
                reads.incrementAndGet();
                return reader.read();
            },
            () -> MACHINE,
            nanos::get);

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private CompletableFuture<Long> asked() {
        return CompletableFuture.supplyAsync(clock::now, threads);
    }

    private static long value(CompletableFuture<Long> asked) {
        return asked.orTimeout(10, TimeUnit.SECONDS).join();
    }

    /** The database hangs until the latch is down; the reading that waits is under way when this returns. */
    private CompletableFuture<Long> hanging(CountDownLatch until) {
        int before = reads.get();
        reader = () -> {
            try {
                until.await();
            } catch (InterruptedException ended) {
                throw new SQLException(ended);
            }
            return DATABASE + 60_000;
        };
        CompletableFuture<Long> first = asked();
        Awaiting.until("a reading under way", () -> reads.get() == before + 1);
        return first;
    }

    @Test
    void time_isTheDatabases_readOnceAndCountedOnForFiveSeconds() {
        assertThat(clock.now()).isEqualTo(DATABASE);
        nanos.addAndGet(Duration.ofMillis(4_999).toNanos());
        reader = () -> DATABASE + 60_000;
        assertThat(clock.now()).isEqualTo(DATABASE + 4_999);
        assertThat(reads.get()).isEqualTo(1);
        nanos.addAndGet(Duration.ofMillis(1).toNanos());
        assertThat(clock.now()).isEqualTo(DATABASE + 60_000);
        assertThat(reads.get()).isEqualTo(2);
    }

    @Test
    void readings_ofManyAtOnce_areOne() {
        CountDownLatch until = new CountDownLatch(1);
        List<CompletableFuture<Long>> all = new ArrayList<>();
        all.add(hanging(until));
        for (int i = 0; i < 20; i++) {
            all.add(asked());
        }
        until.countDown();
        all.forEach(each -> assertThat(value(each)).isEqualTo(DATABASE + 60_000));
        assertThat(reads.get()).isEqualTo(1);
    }

    @Test
    void database_thatFails_leavesTheMachinesTime_andIsAskedAgainLater() {
        reader = () -> {
            throw new SQLException("away");
        };
        assertThat(clock.now()).isEqualTo(MACHINE);
        reader = () -> {
            throw new IllegalStateException("no connection");
        };
        assertThat(clock.now()).isEqualTo(MACHINE);
        assertThat(reads.get()).as("not asked by each").isEqualTo(1);
        nanos.addAndGet(ProofClock.READING_NANOS);
        assertThat(clock.now()).isEqualTo(MACHINE);
        reader = () -> DATABASE;
        nanos.addAndGet(ProofClock.READING_NANOS);
        assertThat(clock.now()).isEqualTo(DATABASE);
        assertThat(reads.get()).isEqualTo(3);
    }

    @Test
    void database_thatHangs_holdsOneUp_andTheOthersGoByWhatWasReadLast() {
        assertThat(clock.now()).isEqualTo(DATABASE);
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        CountDownLatch until = new CountDownLatch(1);
        CompletableFuture<Long> held = hanging(until);
        for (int i = 0; i < 20; i++) {
            assertThat(value(asked())).isEqualTo(DATABASE + 6_000);
        }
        assertThat(held).isNotDone();
        assertThat(reads.get()).isEqualTo(2);
        until.countDown();
        assertThat(value(held)).isEqualTo(DATABASE + 60_000);
        assertThat(clock.now()).isEqualTo(DATABASE + 60_000);
    }

    @Test
    void database_thatHangsFromTheBeginning_holdsTheOthersUpForASecondAtMost() {
        CountDownLatch until = new CountDownLatch(1);
        CompletableFuture<Long> held = hanging(until);
        long from = System.nanoTime();
        assertThat(value(asked())).isEqualTo(MACHINE);
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(3));
        assertThat(held).isNotDone();
        until.countDown();
        assertThat(value(held)).isEqualTo(DATABASE + 60_000);
    }
}
