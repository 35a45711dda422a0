package io.huddle.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.huddle.harness.Awaiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Streams of bytes between two real ends. The window is 128 KiB, streams at a time 16. */
class StreamsTest {
    private static final int WINDOW = 1 << 17;

    private final Town town = new Town();
    private final Town.House one = town.add(1, "p-one");
    private final Town.House two = town.add(2, "p-two");
    private final Queue<Taking> takings = new ConcurrentLinkedQueue<>();
    private volatile boolean holding;

    /** Keeps what comes, and holds the sender back while told to. */
    private final class Taking extends LinkReceiver {
        private final List<ByteString> chunks = new ArrayList<>();
        private final AtomicLong bytes = new AtomicLong();
        private final Queue<CompletableFuture<Void>> held = new ConcurrentLinkedQueue<>();
        private volatile boolean finished;
        private volatile boolean destroyed;
        private volatile @Nullable String reason;

        @Override
        public CompletionStage<Void> accept(ByteString chunk) {
            chunks.add(chunk);
            bytes.addAndGet(chunk.size());
            CompletableFuture<Void> taken = new CompletableFuture<>();
            if (holding) {
                held.add(taken);
            } else {
                taken.complete(null);
            }
            return taken;
        }

        @Override
        public void finished() {
            finished = true;
        }

        @Override
        public void destroyed(@Nullable String reason) {
            this.reason = reason;
            destroyed = true;
        }
    }

    @BeforeEach
    void serve() {
        two.operations.serveBytes("take", call -> {
            Taking taking = new Taking();
            takings.add(taking);
            return taking;
        });
        two.operations.serveBytes("refuse", call -> {
            throw new LinkFailed(LinkFailed.Reason.REMOTE, "not-here", true, "");
        });
        two.operations.serve("echo", call -> CompletableFuture.completedStage(call.request()));
    }

    @AfterEach
    void end() {
        town.close();
    }

    private LinkSender open(String operation) {
        return one.board.open(two.peer(), operation, ByteString.EMPTY);
    }

    private Taking taking() {
        return Awaiting.value(Awaiting.PATIENCE, "a stream", takings::peek, each -> each != null);
    }

    private static LinkFailed failure(CompletionStage<Void> stage) {
        try {
            stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
            throw new AssertionError("it went well");
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof LinkFailed known) {
                return known;
            }
            throw new AssertionError("another failure", failed);
        } catch (InterruptedException | TimeoutException failed) {
            throw new AssertionError("no end", failed);
        }
    }

    private static void good(CompletionStage<Void> stage) {
        try {
            stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException failed) {
            throw new AssertionError("no good end", failed);
        }
    }

    private static ByteString random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    @Test
    void bytes_manyTimesTheWindow_comeWholeAndInOrder() {
        ByteString all = random(3_000_000);
        LinkSender sender = open("take");
        CompletionStage<Void> written = sender.write(all);
        sender.finish();
        good(sender.ended());
        good(written);
        Taking taking = taking();
        assertThat(taking.finished).isTrue();
        assertThat(ByteString.copyFrom(taking.chunks)).isEqualTo(all);
        assertThat(taking.chunks).allMatch(chunk -> chunk.size() <= 65_536);
        Awaiting.until("nothing of it is left", () -> town.pipes().size() == 1 && !hasWork());
    }

    private boolean hasWork() {
        return one.board.hasWork() || two.board.hasWork();
    }

    @Test
    void sender_aheadOfItsReader_isHeldBackAtTheWindow_andCallsGoOn() {
        holding = true;
        LinkSender sender = open("take");
        CompletionStage<Void> written = sender.write(random(1_000_000));
        Taking taking = taking();
        Awaiting.until("the first chunk", () -> taking.bytes.get() > 0);
        ByteString small = ByteString.copyFromUtf8("small");
        assertThat(one.board
                        .call(two.peer(), "echo", small, Duration.ofSeconds(5))
                        .toCompletableFuture()
                        .join())
                .isEqualTo(small);
        Awaiting.holds(
                Duration.ofMillis(200),
                "held back",
                () -> taking.chunks.size() == 1
                        && !written.toCompletableFuture().isDone());
        holding = false;
        taking.held.remove().complete(null);
        good(written);
        sender.finish();
        good(sender.ended());
        assertThat(taking.bytes.get()).isEqualTo(1_000_000);
    }

    @Test
    void sender_thatDoesNotWait_comesToTheBoundAndIsBrokenOff() {
        holding = true;
        LinkSender sender = open("take");
        CompletionStage<Void> last = CompletableFuture.completedStage(null);
        for (int i = 0; i < 10; i++) {
            last = sender.write(random(WINDOW / 2));
        }
        failure(last);
        failure(sender.ended());
        Taking taking = takings.peek();
        if (taking != null) {
            Awaiting.until("the receiver learns it", () -> taking.destroyed);
        }
    }

    @Test
    void destroyReason_absentOrEmpty_staysWhatItIs() {
        for (Optional<String> reason : List.of(Optional.<String>empty(), Optional.of(""), Optional.of("enough"))) {
            LinkSender sender = open("take");
            good(sender.write(ByteString.copyFromUtf8("x")));
            Taking taking = taking();
            sender.destroy(reason.orElse(null));
            Awaiting.until("destroyed", () -> taking.destroyed);
            assertThat(taking.reason).isEqualTo(reason.orElse(null));
            assertThat(taking.finished).isFalse();
            failure(sender.ended());
            failure(sender.write(ByteString.copyFromUtf8("y")));
            takings.clear();
        }
    }

    @Test
    void receiver_thatFails_breaksTheStreamOffForBoth() {
        holding = true;
        LinkSender sender = open("take");
        good(sender.write(ByteString.copyFromUtf8("x")));
        Taking taking = taking();
        Awaiting.until("a chunk", () -> !taking.held.isEmpty());
        taking.held.remove().completeExceptionally(new IllegalStateException("no more"));
        LinkFailed failed = failure(sender.ended());
        assertThat(failed.code()).isEqualTo(LinkFailed.DESTROYED);
        assertThat(taking.destroyed).isTrue();
    }

    @Test
    void receiver_thatWantsNoMore_tellsItsReasonWithoutAChunk() {
        for (Optional<String> reason : List.of(Optional.<String>empty(), Optional.of(""), Optional.of("enough"))) {
            LinkSender sender = open("take");
            Taking taking = taking();
            taking.breakOff(reason.orElse(null));
            taking.breakOff("again");
            LinkFailed failed = failure(sender.ended());
            assertThat(failed.code()).isEqualTo(LinkFailed.DESTROYED);
            assertThat(failed.getMessage()).isEqualTo(reason.orElse(null));
            assertThat(taking.destroyed).as("it was the receiver itself").isFalse();
            takings.clear();
        }
        Awaiting.until("nothing of it is left", () -> !hasWork());
    }

    /** Its word may overtake the answer to the opening. */
    @Test
    void receiver_thatWantsNoneFromTheBeginning_endsTheStream() {
        two.operations.serveBytes("never", call -> {
            Taking taking = new Taking();
            taking.breakOff("never");
            return taking;
        });
        for (int i = 0; i < 20; i++) {
            LinkSender sender = open("never");
            CompletionStage<Void> written = sender.write(random(10));
            assertThat(failure(sender.ended()).getMessage()).isEqualTo("never");
            assertThat(written.toCompletableFuture().handle((done, failed) -> "over"))
                    .succeedsWithin(Duration.ofSeconds(10));
        }
        Awaiting.until("nothing of it is left", () -> !hasWork());
    }

    @Test
    void sender_destroyedBeforeItIsOpen_tellsItsReason() {
        LinkSender sender = open("take");
        sender.destroy("early");
        Taking taking = taking();
        Awaiting.until("destroyed", () -> taking.destroyed);
        assertThat(taking.reason).isEqualTo("early");
    }

    @Test
    void stream_thatIsRefused_orUnknown_endsWithTheCode() {
        LinkFailed refused = failure(open("refuse").ended());
        assertThat(refused.code()).isEqualTo("not-here");
        assertThat(refused.isUserError()).isTrue();
        assertThat(failure(open("other").ended()).code()).isEqualTo(LinkFailed.UNKNOWN_OPERATION);
        LinkSender sender = open("refuse");
        failure(sender.write(random(10)));
    }

    @Test
    void streams_pastTheirNumber_areRefused_andTakenWhenOneHasEnded() {
        List<LinkSender> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            LinkSender sender = open("take");
            good(sender.write(ByteString.copyFromUtf8("x")));
            all.add(sender);
        }
        assertThat(failure(open("take").ended()).reason()).isEqualTo(LinkFailed.Reason.BACKPRESSURE);
        all.get(0).finish();
        good(all.get(0).ended());
        LinkSender again = open("take");
        again.finish();
        good(again.ended());
    }

    @Test
    void link_thatIsLost_endsItsStreamsAtBothEnds() {
        LinkSender sender = open("take");
        good(sender.write(ByteString.copyFromUtf8("x")));
        Taking taking = taking();
        town.pipe().cut();
        assertThat(failure(sender.ended()).reason()).isEqualTo(LinkFailed.Reason.INDETERMINATE);
        Awaiting.until("the receiver learns it", () -> taking.destroyed);
    }

    @Test
    void peer_thatCannotBeReached_endsTheStreamAsNotSent() {
        town.unreachable(true);
        assertThat(failure(open("take").ended()).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT);
    }
}
