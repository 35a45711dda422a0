package io.huddle.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.harness.Injected;
import io.huddle.setting.Configured;
import io.huddle.web.Refused;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class FeedTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean rejecting;
    private final Feed feed = feed(this::take);

    /** A subscriber whose deliveries end when the test says so. */
    private static final class Reader implements Subscriber {
        final Deque<CompletableFuture<Void>> deliveries = new ArrayDeque<>();
        int calls;
        long position;

        @Override
        public void end() {}

        @Nullable
        RuntimeException failure;

        @Override
        public long position() {
            return position;
        }

        @Override
        public CompletionStage<Void> deliver() {
            calls++;
            RuntimeException thrown = failure;
            if (thrown != null) {
                throw thrown;
            }
            CompletableFuture<Void> delivery = new CompletableFuture<>();
            deliveries.add(delivery);
            return delivery;
        }

        void done() {
            deliveries.remove().complete(null);
        }
    }

    @Test
    void subscribe_fresh_deliversOnce() {
        Reader reader = new Reader();
        feed.subscribe("r-1", reader);
        runAll();
        assertThat(reader.calls).isEqualTo(1);
        reader.done();
        assertThat(tasks).isEmpty();
    }

    @Test
    void hints_duringADelivery_leadToOneMore() {
        Reader reader = new Reader();
        Feed.Subscription subscription = feed.subscribe("r-1", reader);
        runAll();
        for (int i = 0; i < 100; i++) {
            subscription.hint();
        }
        assertThat(tasks).isEmpty();
        reader.done();
        runAll();
        assertThat(reader.calls).isEqualTo(2);
        reader.done();
        assertThat(tasks).isEmpty();
    }

    @Test
    void hint_afterADelivery_leadsToAnother() {
        Reader reader = new Reader();
        Feed.Subscription subscription = feed.subscribe("r-1", reader);
        runAll();
        reader.done();
        subscription.hint();
        runAll();
        assertThat(reader.calls).isEqualTo(2);
    }

    @Test
    void events_ofTheRoom_hintItsSubscribersOnly() {
        Reader here = new Reader();
        Reader there = new Reader();
        feed.subscribe("r-1", here);
        feed.subscribe("r-2", there);
        runAll();
        here.done();
        there.done();
        feed.hint(new Appended(event("r-1")));
        runAll();
        assertThat(here.calls).isEqualTo(2);
        assertThat(there.calls).isEqualTo(1);
    }

    @Test
    void hint_ofAnotherNode_wakesOnlyThoseWhoAreBehind() {
        Reader behind = new Reader();
        Reader there = new Reader();
        there.position = 9;
        feed.subscribe("r-1", behind);
        feed.subscribe("r-1", there);
        runAll();
        behind.done();
        there.done();

        feed.hint("r-1", 9);
        feed.hint("r-2", 9);
        runAll();

        assertThat(behind.calls).isEqualTo(2);
        assertThat(there.calls).isEqualTo(1);
    }

    @Test
    void delivery_failed_endsTheSubscription() {
        Reader reader = new Reader();
        Feed.Subscription subscription = feed.subscribe("r-1", reader);
        runAll();
        subscription.hint();
        reader.deliveries.remove().completeExceptionally(new IllegalStateException("gone"));
        runAll();
        subscription.hint();
        feed.hint(new Appended(event("r-1")));
        runAll();
        assertThat(reader.calls).isEqualTo(1);
    }

    /** A sink that was closed meanwhile throws at once instead of answering a stage. */
    @Test
    void delivery_thrown_endsTheSubscriptionAndFreesItsPlace() {
        Configured.with(Map.of("huddle.events.subscribers", "1"), () -> {
            Feed small = feed(this::take);
            Reader reader = new Reader();
            reader.failure = new IllegalStateException("closed");
            small.subscribe("r-1", reader);
            runAll();
            small.subscribe("r-1", new Reader());
        });
    }

    /** The executor's queue was full once: the next hint must find the subscription awake. */
    @Test
    void hint_rejectedByTheExecutor_doesNotSilenceTheSubscription() {
        Reader reader = new Reader();
        Feed.Subscription subscription = feed.subscribe("r-1", reader);
        runAll();
        reader.done();
        rejecting = true;
        try {
            subscription.hint();
        } catch (RejectedExecutionException full) {
            // Whether the hint tells is not the point.
        }
        rejecting = false;
        subscription.hint();
        runAll();
        assertThat(reader.calls).isEqualTo(2);
    }

    @Test
    void nextDelivery_rejectedByTheExecutor_doesNotSilenceTheSubscription() {
        Reader reader = new Reader();
        Feed.Subscription subscription = feed.subscribe("r-1", reader);
        runAll();
        subscription.hint();
        rejecting = true;
        reader.done();
        rejecting = false;
        subscription.hint();
        runAll();
        assertThat(reader.calls).isEqualTo(2);
    }

    @Test
    void subscribe_beyondTheBound_isUnavailableUntilOneEnds() {
        Configured.with(Map.of("huddle.events.subscribers", "2"), () -> {
            Feed small = feed(this::take);
            Feed.Subscription first = small.subscribe("r-1", new Reader());
            small.subscribe("r-2", new Reader());
            assertThatThrownBy(() -> small.subscribe("r-1", new Reader())).isInstanceOf(Refused.class);
            first.end();
            first.end();
            small.subscribe("r-1", new Reader());
            assertThatThrownBy(() -> small.subscribe("r-1", new Reader())).isInstanceOf(Refused.class);
        });
    }

    /**
     * A number grows and each growth is hinted, from several threads, while deliveries read it and complete on other
     * threads: the subscriber must end up with the last number, without a poll, and never be called twice at a time.
     */
    @Test
    void hints_fromManyThreads_loseNothing() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 300; round++) {
                raceOnce(pool, new Random(round));
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static void raceOnce(ExecutorService pool, Random random) throws InterruptedException {
        AtomicLong written = new AtomicLong();
        AtomicLong read = new AtomicLong();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        boolean later = random.nextBoolean();
        Subscriber reader = new Subscriber() {
            @Override
            public void end() {}

            @Override
            public long position() {
                return read.get();
            }

            @Override
            public CompletionStage<Void> deliver() {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                read.set(written.get());
                Runnable end = inside::decrementAndGet;
                if (later) {
                    return CompletableFuture.runAsync(end, pool);
                }
                end.run();
                return CompletableFuture.completedFuture(null);
            }
        };
        Feed racing = feed(pool::execute);
        Feed.Subscription subscription = racing.subscribe("r-1", reader);
        int writers = 2;
        int each = 200;
        CountDownLatch done = new CountDownLatch(writers);
        for (int i = 0; i < writers; i++) {
            pool.execute(() -> {
                for (int n = 0; n < each; n++) {
                    written.incrementAndGet();
                    subscription.hint();
                }
                done.countDown();
            });
        }
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        io.huddle.harness.Awaiting.until("the last number", () -> read.get() == (long) writers * each);
        assertThat(most.get()).isEqualTo(1);
    }

    private void take(Runnable task) {
        if (rejecting) {
            throw new RejectedExecutionException("full");
        }
        tasks.add(task);
    }

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private static RoomEvent event(String room) {
        return new RoomEvent("e-1", room, 1, "room.opened", null, null, null, null, "open", null, Instant.EPOCH, null);
    }

    private interface Taking {
        void take(Runnable task);
    }

    /** The feed with an executor of ours in the place of the server's. */
    private static Feed feed(Taking taking) {
        ManagedExecutorService executor = (ManagedExecutorService) Proxy.newProxyInstance(
                FeedTest.class.getClassLoader(),
                new Class<?>[] {ManagedExecutorService.class},
                (proxy, method, arguments) -> {
                    if (!method.getName().equals("execute")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    taking.take((Runnable) arguments[0]);
                    return null;
                });
        return Injected.into(new Feed(), "executor", executor);
    }
}
