package io.huddle.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutboxTest {
    /** A socket whose writes end when the test says so. */
    private static final class Socket implements Outbox.Wire {
        private final List<Frame> written = new ArrayList<>();
        private @Nullable Consumer<@Nullable Throwable> underWay;

        @Override
        public void send(Frame frame, Consumer<@Nullable Throwable> done) {
            assertThat(underWay).as("two writes at once").isNull();
            written.add(frame);
            underWay = done;
        }

        void finish(@Nullable Throwable failed) {
            Consumer<@Nullable Throwable> done = underWay;
            underWay = null;
            assertThat(done).as("a write under way").isNotNull();
            if (done != null) {
                done.accept(failed);
            }
        }
    }

    private final Socket socket = new Socket();
    private final Outbox outbox = new Outbox(socket, 100);
    private final AtomicInteger closes = new AtomicInteger();

    private static Frame frame(int bytes) {
        return Frame.of(ByteBuffer.allocate(bytes));
    }

    @Test
    void offer_whileOneIsUnderWay_waitsForIt() {
        Frame first = frame(1);
        Frame second = frame(1);

        assertThat(outbox.offer(first)).isTrue();
        assertThat(outbox.offer(second)).isTrue();

        assertThat(socket.written).containsExactly(first);
        socket.finish(null);
        assertThat(socket.written).containsExactly(first, second);
        assertThat(first.sent()).isCompleted();
        assertThat(second.sent()).isNotDone();
    }

    @Test
    void offer_pastTheBound_isRefusedAndNothingIsLost() {
        outbox.offer(frame(50));
        assertThat(outbox.offer(frame(60))).isTrue();
        assertThat(outbox.offer(frame(41))).isFalse();
        assertThat(outbox.offer(frame(40))).isTrue();

        socket.finish(null);
        assertThat(outbox.offer(frame(60)))
                .as("what is under way does not wait")
                .isTrue();
    }

    @Test
    void messages_whileBulkWaits_goFirst() {
        Frame bulk = frame(1);
        Frame more = frame(1);
        Frame message = frame(1);
        outbox.offerBulk(bulk);
        outbox.offerBulk(more);
        outbox.offer(message);

        socket.finish(null);
        socket.finish(null);

        assertThat(socket.written).containsExactly(bulk, message, more);
    }

    @Test
    void withdraw_beforeTheSocketHasIt_takesItBack() {
        Frame first = frame(1);
        Frame second = frame(100);
        outbox.offer(first);
        outbox.offer(second);

        assertThat(outbox.withdraw(first)).as("under way").isFalse();
        assertThat(outbox.withdraw(second)).isTrue();
        assertThat(outbox.withdraw(second)).as("twice").isFalse();

        socket.finish(null);
        assertThat(socket.written).containsExactly(first);
        assertThat(outbox.offer(frame(100))).as("its bytes are free").isTrue();
    }

    @Test
    void close_withFlush_sendsWhatWaitsThenCloses() {
        Frame first = frame(1);
        Frame second = frame(1);
        Frame bulk = frame(1);
        outbox.offer(first);
        outbox.offer(second);
        outbox.offerBulk(bulk);

        outbox.close(true, closes::incrementAndGet);

        assertThat(outbox.offer(frame(1))).isFalse();
        assertThat(outbox.offerBulk(frame(1))).isFalse();
        assertThat(bulk.sent()).isCompletedExceptionally();
        socket.finish(null);
        assertThat(closes).hasValue(0);
        socket.finish(null);
        assertThat(socket.written).containsExactly(first, second);
        assertThat(closes).hasValue(1);
    }

    @Test
    void close_withoutFlush_dropsWhatWaitsAndClosesAfterTheFrameUnderWay() {
        Frame second = frame(1);
        outbox.offer(frame(1));
        outbox.offer(second);

        outbox.close(false, closes::incrementAndGet);
        outbox.close(false, closes::incrementAndGet);

        assertThat(second.sent()).isCompletedExceptionally();
        assertThat(closes).hasValue(0);
        socket.finish(null);
        assertThat(closes).hasValue(1);
        assertThat(socket.written).hasSize(1);
    }

    @Test
    void closeNow_whileThePeerTakesNothing_closesOnce() {
        outbox.offer(frame(1));
        outbox.close(true, closes::incrementAndGet);

        outbox.closeNow();
        outbox.closeNow();
        socket.finish(new IllegalStateException("closed"));

        assertThat(closes).hasValue(1);
    }

    @Test
    void stalled_onlyWhileAFrameIsUnderWayForLonger() {
        assertThat(outbox.isStalled(System.nanoTime() + 1_000, 1)).isFalse();
        outbox.offer(frame(1));
        long now = System.nanoTime();

        assertThat(outbox.isStalled(now, TimeUnit.MINUTES.toNanos(1))).isFalse();
        assertThat(outbox.isStalled(now + TimeUnit.MINUTES.toNanos(2), TimeUnit.MINUTES.toNanos(1)))
                .isTrue();
        socket.finish(null);
        assertThat(outbox.isStalled(now + TimeUnit.MINUTES.toNanos(2), TimeUnit.MINUTES.toNanos(1)))
                .isFalse();
    }

    @Test
    void failedWrite_failsItsFrameAndTheNextGoesOn() {
        Frame first = frame(1);
        Frame second = frame(1);
        outbox.offer(first);
        outbox.offer(second);

        socket.finish(new IllegalStateException("gone"));

        assertThat(first.sent()).isCompletedExceptionally();
        assertThat(socket.written).containsExactly(first, second);
    }

    /** The platform lost writes that were made from several threads, or before the last was done: none of ours may be. */
    @Test
    void offers_ofManyThreads_areAllWrittenOneAtATimeInEachOnesOrder() throws InterruptedException {
        int threads = 8;
        int each = 5_000;
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ConcurrentLinkedQueue<Integer> written = new ConcurrentLinkedQueue<>();
        Outbox many = new Outbox(
                (frame, done) -> {
                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    ByteBuffer binary = frame.binary();
                    written.add(binary == null ? -1 : binary.getInt(0));
                    Runnable end = () -> {
                        atOnce.decrementAndGet();
                        done.accept(null);
                    };
                    // Done at once on this thread, or later on another, as sockets are.
                    if (written.size() % 3 == 0) {
                        CompletableFuture<Void> unused = CompletableFuture.runAsync(end);
                    } else {
                        end.run();
                    }
                },
                Integer.MAX_VALUE);
        CountDownLatch sent = new CountDownLatch(threads * each);
        List<Thread> senders = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int from = t * each;
            Thread sender = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    Frame frame = Frame.of(ByteBuffer.allocate(4).putInt(0, from + i));
                    CompletableFuture<Void> unused = frame.sent().thenRun(sent::countDown);
                    assertThat(many.offer(frame)).isTrue();
                }
            });
            senders.add(sender);
            sender.start();
        }
        for (Thread sender : senders) {
            sender.join();
        }

        assertThat(sent.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(most).hasValue(1);
        for (int t = 0; t < threads; t++) {
            int from = t * each;
            assertThat(written.stream().filter(number -> number >= from && number < from + each))
                    .isSorted()
                    .hasSize(each);
        }
    }
}
