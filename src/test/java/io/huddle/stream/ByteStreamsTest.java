package io.huddle.stream;

import static io.huddle.stream.Peer.LIMITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteStreamsTest {
    /** Takes bytes at once, or when the test says so. */
    private static final class Taker implements ByteReceiver {
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private final List<String> ends = new ArrayList<>();
        private final Queue<CompletableFuture<Void>> held = new ArrayDeque<>();
        private boolean slow;

        @Override
        public CompletionStage<Void> accept(ByteBuffer chunk) {
            byte[] copy = new byte[chunk.remaining()];
            chunk.get(copy);
            taken.writeBytes(copy);
            CompletableFuture<Void> done = new CompletableFuture<>();
            if (slow) {
                held.add(done);
            } else {
                done.complete(null);
            }
            return done;
        }

        @Override
        public void finished() {
            ends.add("finished");
        }

        @Override
        public void destroyed(@Nullable String reason) {
            ends.add("destroyed " + reason);
        }
    }

    private final Peer peer =
            new Peer(4, LIMITS, new Peer.Given(message -> new CompletableFuture<Dispatcher.Outcome>())).open();
    private final Taker taker = new Taker();

    private void operate(ByteStreamOperation.Builder operation) {
        peer.receive(ClientMessage.newBuilder().setByteStreamOperation(operation));
    }

    private void write(int id, int bytes) {
        operate(ByteStreamOperation.newBuilder()
                .setStreamId(id)
                .setWrite(ByteStreamOperation.Write.newBuilder().setChunk(ByteString.copyFrom(new byte[bytes]))));
    }

    private void finish(int id) {
        operate(ByteStreamOperation.newBuilder().setStreamId(id).setFinish(ByteStreamOperation.Finish.newBuilder()));
    }

    private void destroy(int id, @Nullable String reason) {
        operate(ByteStreamOperation.newBuilder().setStreamId(id).setDestroy(ByteSender.destroyed(reason)));
    }

    private void assertClosed() {
        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
    }

    private List<ByteStreamOperation> operations() {
        return peer.sent.stream()
                .filter(ServerMessage::hasByteStreamOperation)
                .map(ServerMessage::getByteStreamOperation)
                .toList();
    }

    @Test
    void bytes_withAReceiver_arriveInOrderAndEnd() {
        peer.stream.receiveBytes(1, taker);
        write(1, 10);
        write(1, 20);
        finish(1);

        assertThat(taker.taken.size()).isEqualTo(30);
        assertThat(taker.ends).containsExactly("finished");
    }

    @Test
    void bytes_beforeTheirReceiver_waitForIt() {
        write(3, 10);
        finish(3);

        peer.stream.receiveBytes(3, taker);

        assertThat(taker.taken.size()).isEqualTo(10);
        assertThat(taker.ends).containsExactly("finished");
    }

    @Test
    void bytes_withoutReceiverInTime_areBrokenOffAndTheRestIgnored() {
        write(1, 10);
        peer.stream.watch(System.nanoTime() + TimeUnit.SECONDS.toNanos(6));

        assertThat(operations())
                .hasSize(1)
                .allMatch(one -> one.getStreamId() == 1 && one.getDestroy().hasError());
        assertThat(peer.hits).containsExactly("unclaimed-time");
        write(1, 10);
        finish(1);
        assertThat(peer.stream.isDead()).as("the client could not know yet").isFalse();
        assertThatThrownBy(() -> peer.stream.receiveBytes(1, taker)).isInstanceOf(StreamError.class);
    }

    @Test
    void bytes_withoutReceiverOfOneStream_areBounded() {
        write(1, 9_000);
        write(1, 1_001);

        assertThat(operations()).hasSize(1).allMatch(ByteStreamOperation::hasDestroy);
        assertThat(peer.hits).containsExactly("unclaimed-bytes");
        write(5, 9_000);
        assertThat(operations()).as("its bytes are free again").hasSize(1);
    }

    /** A chunk of nothing takes memory too. */
    @Test
    void emptyChunks_withoutReceiver_areBoundedToo() {
        for (int i = 0; i < 100; i++) {
            write(1, 0);
        }

        assertThat(operations()).hasSize(1).allMatch(ByteStreamOperation::hasDestroy);
        assertThat(peer.hits).containsExactly("unclaimed-bytes");
    }

    @Test
    void bytes_withoutReceiverOfAll_areBounded() {
        write(1, 6_000);
        write(3, 6_000);

        assertThat(operations()).extracting(ByteStreamOperation::getStreamId).containsExactly(3);
    }

    @Test
    void idsWithoutReceiver_oneTooMany_closesTheStream() {
        for (int id = 1; id <= 9; id += 2) {
            write(id, 1);
        }
        assertThat(peer.stream.isDead()).isFalse();
        write(11, 1);

        assertClosed();
        assertThat(peer.hits).containsExactly("byte-stream-ids");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 2, Integer.MIN_VALUE})
    void write_onAnIdThatIsNoneOfAClient_closes(int id) {
        write(id, 1);
        assertClosed();
    }

    @Test
    void operation_withoutOperation_closes() {
        operate(ByteStreamOperation.newBuilder().setStreamId(1));
        assertClosed();
    }

    @Test
    void write_afterFinish_closes() {
        peer.stream.receiveBytes(1, taker);
        finish(1);
        write(1, 1);
        assertClosed();
    }

    @Test
    void destroy_ofAnUnknownStreamOfTheServer_closes() {
        destroy(2, null);
        assertClosed();
    }

    @Test
    void destroy_byTheClient_reachesTheReceiverWithItsReason() {
        peer.stream.receiveBytes(1, taker);
        write(1, 1);
        destroy(1, "cancelled");

        assertThat(taker.ends).containsExactly("destroyed cancelled");
        assertThat(operations()).as("not echoed").isEmpty();
    }

    @Test
    void destroy_withAReasonLongerThanMayBe_isShortened() {
        peer.stream.receiveBytes(1, taker);
        destroy(1, "x".repeat(2_000));

        assertThat(taker.ends).containsExactly("destroyed " + "x".repeat(1_024));
        assertThat(peer.stream.isDead()).isFalse();
    }

    @Test
    void destroy_withoutReasonAndWithAnEmptyOne_stayDistinct() {
        Taker other = new Taker();
        peer.stream.receiveBytes(1, taker);
        peer.stream.receiveBytes(3, other);
        destroy(1, null);
        destroy(3, "");

        assertThat(taker.ends).containsExactly("destroyed null");
        assertThat(other.ends).containsExactly("destroyed ");
    }

    @Test
    void destroy_beforeTheReceiver_isTerminal() {
        write(1, 1);
        destroy(1, "cancelled");

        assertThatThrownBy(() -> peer.stream.receiveBytes(1, taker)).isInstanceOf(StreamError.class);
        assertThat(operations()).isEmpty();
    }

    @Test
    void idsThatAreOver_pastWhatIsRemembered_areForgottenOldestFirst() {
        int most = 65_536;
        for (int i = 0; i < most; i++) {
            destroy(2 * i + 1, null);
        }
        assertThatThrownBy(() -> peer.stream.receiveBytes(1, taker)).isInstanceOf(StreamError.class);
        destroy(2 * most + 1, null);

        // Its memory is used for the last one; a client that still wrote on it would break the protocol unnoticed.
        write(1, 1);
        assertThat(peer.stream.isDead()).isFalse();
        write(3, 1);
        assertClosed();
    }

    @Test
    void receiver_second_isRefused() {
        peer.stream.receiveBytes(1, taker);

        assertThatThrownBy(() -> peer.stream.receiveBytes(1, new Taker())).isInstanceOf(StreamError.class);
    }

    @Test
    void receiver_thatFails_breaksTheStreamOff() {
        peer.stream.receiveBytes(1, taker);
        taker.slow = true;
        write(1, 1);
        taker.held.remove().completeExceptionally(new IllegalStateException("disk full"));

        assertThat(operations()).hasSize(1).allMatch(ByteStreamOperation::hasDestroy);
        assertThat(taker.ends).containsExactly("destroyed the receiver failed");
    }

    @Test
    void slowReceiver_makesTheReaderWaitAndIsBrokenOffInTheEnd() {
        taker.slow = true;
        peer.stream.receiveBytes(1, taker);
        long before = System.nanoTime();
        write(1, 30_000);

        assertThat(System.nanoTime() - before).isGreaterThan(LIMITS.pause().toNanos() / 2);
        assertThat(operations()).hasSize(1).allMatch(ByteStreamOperation::hasDestroy);
        assertThat(peer.hits).containsExactly("byte-stream-pause");
        assertThat(peer.stream.isDead()).isFalse();
    }

    @Test
    void slowReceiver_thatCatchesUp_letsTheReaderGoOn() {
        taker.slow = true;
        peer.stream.receiveBytes(1, taker);
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> write(1, 30_000));
        CompletableFuture<Void> eased = CompletableFuture.runAsync(() -> {
            while (taker.held.isEmpty()) {
                Thread.onSpinWait();
            }
            taker.held.remove().complete(null);
        });

        CompletableFuture.allOf(reader, eased).join();

        assertThat(operations()).isEmpty();
        assertThat(taker.taken.size()).isEqualTo(30_000);
    }

    @Test
    void sender_inPieces_keepsOrderAndWaitsForTheSocket() {
        ByteSender sender = peer.stream.openBytes();
        assertThat(sender.id()).isEqualTo(2);
        peer.stick();

        CompletableFuture<Void> written =
                sender.write(ByteBuffer.wrap(new byte[100_000])).toCompletableFuture();
        assertThat(operations()).hasSize(1);
        assertThat(written).isNotDone();
        peer.unstick();

        assertThat(written).isCompleted();
        assertThat(operations())
                .extracting(one -> one.getWrite().getChunk().size())
                .containsExactly(65_536, 34_464);
        sender.finish().join();
        assertThat(operations()).last().matches(ByteStreamOperation::hasFinish);
        assertThat(sender.write(ByteBuffer.allocate(1)).toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void sender_destroyedByTheClient_failsItsNextWrite() {
        ByteSender sender = peer.stream.openBytes();
        destroy(sender.id(), "no more");

        assertThat(sender.write(ByteBuffer.allocate(1)).toCompletableFuture()).isCompletedExceptionally();
        assertThat(peer.stream.isDead()).isFalse();
        destroy(sender.id(), "no more");
        assertThat(peer.stream.isDead()).as("the answers crossed").isFalse();
    }

    /** Also without a further write: whoever has nothing to send for long is told all the same, and once. */
    @Test
    void sender_destroyedByTheClient_isToldWithTheReason() {
        List<@Nullable String> broken = new ArrayList<>();
        ByteSender early = peer.stream.openBytes();
        ByteSender late = peer.stream.openBytes();
        early.whenBroken(broken::add);
        destroy(early.id(), "");
        destroy(early.id(), "again");
        destroy(late.id(), null);
        late.whenBroken(broken::add);

        assertThat(broken).containsExactly("", null);
        ByteSender finished = peer.stream.openBytes();
        finished.whenBroken(broken::add);
        finished.finish().join();
        destroy(finished.id(), "too late");
        assertThat(broken).hasSize(2);
    }

    /** What is written while it is destroyed by another thread does not come after the end. */
    @Test
    void sender_destroyedWhileItWrites_sendsNothingAfterItsEnd() {
        ByteSender sender = peer.stream.openBytes();
        peer.stick();
        CompletionStage<Void> written = sender.write(ByteBuffer.wrap(new byte[100_000]));
        sender.destroy("enough");
        sender.destroy("again");
        peer.unstick();
        peer.unstick();

        assertThat(written.toCompletableFuture()).isCompletedExceptionally();
        assertThat(operations())
                .hasSize(2)
                .last()
                .matches(last -> last.getDestroy().getError().equals("enough"));
    }

    @Test
    void receiver_thatBreaksOff_tellsTheClientAndItself() {
        ByteSource.BreakOff off = peer.stream.receiveBytes(1, taker);
        write(1, 1);
        off.breakOff(null);
        off.breakOff("again");
        write(1, 1);

        assertThat(taker.ends).containsExactly("destroyed null");
        assertThat(operations())
                .hasSize(1)
                .allMatch(one -> one.hasDestroy() && !one.getDestroy().hasError());
        assertThat(peer.stream.isDead()).as("the client could not know yet").isFalse();
    }

    @Test
    void receiver_thatFailsWithATypedError_tellsItsText() {
        peer.stream.receiveBytes(1, taker);
        taker.slow = true;
        write(1, 1);
        taker.held.remove().completeExceptionally(new StreamError("owner-unavailable", false));

        assertThat(operations()).extracting(one -> one.getDestroy().getError()).containsExactly("owner-unavailable");
        assertThat(taker.ends).containsExactly("destroyed owner-unavailable");
    }

    @Test
    void senders_oneTooMany_isRefusedAndTheStreamStays() {
        for (int i = 0; i < 5; i++) {
            peer.stream.openBytes();
        }

        assertThatThrownBy(peer.stream::openBytes)
                .isInstanceOf(StreamError.class)
                .hasMessage("backpressure");
        assertThat(peer.stream.isDead()).isFalse();
    }

    @Test
    void close_breaksOffBothWays() {
        peer.stream.receiveBytes(1, taker);
        ByteSender sender = peer.stream.openBytes();
        List<@Nullable String> broken = new ArrayList<>();
        sender.whenBroken(broken::add);

        peer.stream.close(CloseCause.SUPERSEDED, "newer");

        assertThat(taker.ends).containsExactly("destroyed client-disconnected");
        assertThat(broken).containsExactly("client-disconnected");
        assertThat(sender.write(ByteBuffer.allocate(1)).toCompletableFuture()).isCompletedExceptionally();
        assertThatThrownBy(peer.stream::openBytes).isInstanceOf(StreamError.class);
        assertThatThrownBy(() -> peer.stream.receiveBytes(3, taker)).isInstanceOf(StreamError.class);
    }
}
