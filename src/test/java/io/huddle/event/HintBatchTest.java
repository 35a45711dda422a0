package io.huddle.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class HintBatchTest {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final List<Map<String, Long>> sent = new ArrayList<>();
    private final Deque<CompletableFuture<Void>> underWay = new ArrayDeque<>();
    private final HintBatch batch = new HintBatch(this::send, waiting::add);

    private CompletionStage<Void> send(String json) {
        sent.add(HintBatch.read(json));
        CompletableFuture<Void> done = new CompletableFuture<>();
        underWay.add(done);
        return done;
    }

    @Test
    void events_withinTheDelay_goTogetherWithTheNewestNumberOfEachRoom() {
        batch.add("r-1", 3);
        batch.add("r-2", 1);
        batch.add("r-1", 5);
        batch.add("r-1", 4);
        assertThat(waiting).hasSize(1);

        waiting.remove().run();

        assertThat(sent).containsExactly(Map.of("r-1", 5L, "r-2", 1L));
    }

    @Test
    void events_whileAMessageIsUnderWay_goWithTheNextOne() {
        batch.add("r-1", 1);
        waiting.remove().run();
        batch.add("r-1", 2);
        batch.add("r-2", 7);
        assertThat(waiting).isEmpty();

        underWay.remove().complete(null);
        waiting.remove().run();

        assertThat(sent).containsExactly(Map.of("r-1", 1L), Map.of("r-1", 2L, "r-2", 7L));
        underWay.remove().complete(null);
        assertThat(waiting).isEmpty();
        batch.add("r-3", 1);
        assertThat(waiting).hasSize(1);
    }

    @Test
    void message_failed_doesNotSilenceTheNext() {
        batch.add("r-1", 1);
        waiting.remove().run();
        underWay.remove().completeExceptionally(new IllegalStateException("as ordered"));
        batch.add("r-1", 2);
        waiting.remove().run();
        assertThat(sent).hasSize(2);
    }

    @Test
    void sender_throwing_doesNotSilenceTheNext() {
        AtomicInteger tries = new AtomicInteger();
        HintBatch throwing = new HintBatch(
                json -> {
                    tries.incrementAndGet();
                    throw new IllegalStateException("as ordered");
                },
                waiting::add);
        throwing.add("r-1", 1);
        waiting.remove().run();
        throwing.add("r-1", 2);
        waiting.remove().run();
        assertThat(tries).hasValue(2);
    }

    @Test
    void scheduler_full_doesNotSilenceTheNext() {
        boolean[] full = {true};
        HintBatch unlucky = new HintBatch(this::send, work -> {
            if (full[0]) {
                throw new RejectedExecutionException("full");
            }
            waiting.add(work);
        });
        unlucky.add("r-1", 1);
        full[0] = false;
        unlucky.add("r-2", 2);
        waiting.remove().run();
        assertThat(sent).containsExactly(Map.of("r-1", 1L, "r-2", 2L));
    }

    @Test
    void rooms_veryMany_areBounded() {
        for (int i = 0; i < 3 * HintBatch.MOST_ROOMS; i++) {
            batch.add("r-" + i, 1);
        }
        batch.add("r-0", 9);
        waiting.remove().run();
        assertThat(sent.get(0)).hasSize(HintBatch.MOST_ROOMS).containsEntry("r-0", 9L);
    }

    @Test
    void message_thatCannotBeRead_saysNothing() {
        for (String json : List.of("", "[]", "7", "{\"r-1\":", "{\"r-1\":\"x\",\"r-2\":1.5,\"r-3\":null}")) {
            assertThat(HintBatch.read(json)).as(json).isEmpty();
        }
        assertThat(HintBatch.read("{\"r-1\":2,\"more\":{}}")).containsExactly(Map.entry("r-1", 2L));
    }

    /** Many threads: the last number of every room arrives, whoever is sending meanwhile. */
    @Test
    void events_fromManyThreads_loseNoRoomsLastNumber() throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(4);
        try {
            Map<String, Long> heard = new ConcurrentHashMap<>();
            HintBatch racing = new HintBatch(
                    json -> CompletableFuture.runAsync(
                            () -> HintBatch.read(json).forEach((room, seq) -> heard.merge(room, seq, Math::max)), pool),
                    work -> {
                        var unused = pool.schedule(work, 1, TimeUnit.MILLISECONDS);
                    });
            CountDownLatch done = new CountDownLatch(4);
            for (int thread = 0; thread < 4; thread++) {
                pool.execute(() -> {
                    for (int seq = 1; seq <= 5_000; seq++) {
                        racing.add("r-" + seq % 7, seq);
                    }
                    done.countDown();
                });
            }
            assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
            io.huddle.harness.Awaiting.until(
                    "the last numbers",
                    () -> heard.size() == 7 && heard.values().stream().allMatch(seq -> seq > 4_993));
        } finally {
            pool.shutdownNow();
        }
    }
}
