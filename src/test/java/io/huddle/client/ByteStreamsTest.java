package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.ByteString;
import io.huddle.harness.Awaiting;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ByteStreamOperation.Destroy;
import io.huddle.wire.ByteStreamOperation.Finish;
import io.huddle.wire.ByteStreamOperation.Write;
import io.huddle.wire.ClientMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ByteStreamsTest extends PeerTest {
    private static final int MEGABYTE = 1 << 20;

    private final HuddleClient client = client(options());

    @Test
    void output_written_arrivesInChunksUnderOddIdsAndEnds() throws IOException {
        Peer.Stream stream = connect(client);
        byte[] bytes = random(300_000);
        try (ByteOutput first = client.openBytes();
                ByteOutput second = client.openBytes()) {
            assertThat(first.id()).isEqualTo(1);
            assertThat(second.id()).isEqualTo(3);
            second.write(7);
            first.write(bytes);
        }
        awaitFinish(stream, 1);
        assertThat(written(stream, 1)).isEqualTo(ByteString.copyFrom(bytes));
        assertThat(written(stream, 3)).isEqualTo(ByteString.copyFrom(new byte[] {7}));
        assertThat(stream.received())
                .allMatch(one ->
                        one.getByteStreamOperation().getWrite().getChunk().size() <= 64 << 10);
    }

    @Test
    void output_peerThatDoesNotRead_makesTheWriterWait() throws Exception {
        Peer.Stream stream = connect(client);
        stream.stopReading();
        ByteOutput output = client.openBytes();
        AtomicInteger megabytes = new AtomicInteger();
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 64; i++) {
                writeOrFail(output, random(MEGABYTE));
                megabytes.incrementAndGet();
            }
        });
        Awaiting.until("some megabytes", () -> megabytes.get() > 0);
        Awaiting.holds(ms(1_000), "the writer waits", () -> megabytes.get() < 32 && !writing.isDone());
        stream.cut();
        assertThat(catchCause(writing)).hasMessageContaining("disconnected");
    }

    @Test
    void output_destroyedByTheServer_failsWithItsReason() throws IOException {
        Peer.Stream stream = connect(client);
        ByteOutput output = client.openBytes();
        stream.send(operation(output.id()).setDestroy(Destroy.newBuilder().setError("disk full")));
        Awaiting.asserted(() -> assertThatThrownBy(output::flush)
                .isInstanceOf(IOException.class)
                .hasMessage("disk full"));
        output.close();

        // Late for a stream that is over: no harm. For one that never was: a fault.
        stream.send(operation(output.id()).setDestroy(Destroy.getDefaultInstance()));
        Awaiting.holds(ms(200), "connected", client::isConnected);
        stream.send(operation(99).setDestroy(Destroy.getDefaultInstance()));
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void output_destroyed_tellsTheServerWhyAndTakesNoMore() throws IOException {
        Peer.Stream stream = connect(client);
        ByteOutput output = client.openBytes();
        output.destroy("é".repeat(1_000));
        ClientMessage destroyed =
                stream.await("a destroy", one -> one.getByteStreamOperation().hasDestroy());
        assertThat(destroyed.getByteStreamOperation().getDestroy().getError()).isEqualTo("é".repeat(512));
        assertThatThrownBy(() -> output.write(new byte[1])).isInstanceOf(IOException.class);
    }

    @Test
    void input_attachedBeforeOrAfter_readsAllAndItsEnd() throws IOException {
        Peer.Stream stream = connect(client);
        byte[] bytes = random(500_000);
        for (int id = 2; id <= 4; id += 2) {
            if (id == 2) {
                sendAll(stream, id, bytes);
            }
            try (ByteInput input = client.receiveBytes(id)) {
                if (id == 4) {
                    sendAll(stream, id, bytes);
                }
                assertThat(input.readAllBytes()).isEqualTo(bytes);
            }
        }
        assertThat(stream.received()).isEmpty();
        assertThatThrownBy(() -> client.receiveBytes(3)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void input_nobodyTakes_isGivenUpAfterAWhile() {
        HuddleClient impatient = client(options().timing(Timings.waits(Timing.PROTOCOL.receipt(), ms(500))));
        Peer.Stream stream = connect(impatient);
        stream.send(write(2, "lost"));
        stream.await(
                "a destroy",
                one -> one.getByteStreamOperation().getStreamId() == 2
                        && one.getByteStreamOperation().hasDestroy());
        // What was on its way meanwhile is no fault.
        stream.send(write(2, "late"));
        Awaiting.holds(ms(200), "connected", impatient::isConnected);
        assertThatThrownBy(() -> impatient.receiveBytes(2)).isInstanceOf(IOException.class);
    }

    @Test
    void input_destroyedByTheServer_failsWithItsReasonAlsoIfEarly() throws IOException {
        Peer.Stream stream = connect(client);
        ByteInput attached = client.receiveBytes(2);
        stream.send(write(2, "some"));
        stream.send(operation(2).setDestroy(Destroy.newBuilder().setError("gone")));
        stream.send(write(4, "some"));
        stream.send(operation(4).setDestroy(Destroy.newBuilder().setError("gone early")));
        Awaiting.asserted(() -> assertThatThrownBy(attached::read)
                .isInstanceOf(IOException.class)
                .hasMessage("gone"));
        Awaiting.asserted(() -> {
            try (ByteInput early = client.receiveBytes(4)) {
                assertThatThrownBy(early::read).hasMessage("gone early");
            }
        });
        assertThat(stream.received()).isEmpty();
    }

    @Test
    void input_closedBeforeItsEnd_tellsTheServerOnceAndIgnoresWhatStillComes() throws IOException {
        Peer.Stream stream = connect(client);
        ByteInput input = client.receiveBytes(2);
        input.close();
        input.close();
        stream.await("a destroy", one -> one.getByteStreamOperation().hasDestroy());
        stream.send(write(2, "late"));
        stream.send(operation(2).setFinish(Finish.getDefaultInstance()));
        Awaiting.holds(ms(200), "connected", client::isConnected);
        assertThat(stream.received()).hasSize(1);
    }

    @Test
    void input_unreadMegabytes_makeTheServerWaitAndArriveWhole() throws IOException {
        Peer.Stream stream = connect(client);
        ByteInput input = client.receiveBytes(2);
        byte[] bytes = random(24 * MEGABYTE);
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> sendAll(stream, 2, bytes));
        Awaiting.until("half of what may be unread", () -> input.available() >= 4 * MEGABYTE);
        Awaiting.holds(ms(300), "bounded and waiting", () -> input.available() <= 8 * MEGABYTE && !sending.isDone());
        assertThat(input.readAllBytes()).isEqualTo(bytes);
        get(sending);
    }

    @Test
    void inputs_withTheConnection_breakUnlessTheyWereWhole() throws IOException {
        Peer.Stream stream = connect(client);
        ByteInput broken = client.receiveBytes(2);
        ByteInput whole = client.receiveBytes(4);
        stream.send(write(2, "half"));
        sendAll(stream, 4, random(10));
        Awaiting.until("all has come", () -> whole.available() == 10 && broken.available() == 4);
        stream.cut();
        loss();
        assertThatThrownBy(broken::read).hasMessage("disconnected");
        assertThat(whole.readAllBytes()).hasSize(10);
    }

    @Test
    void input_goesOnAfterItsEnd_closesWith4000() throws IOException {
        Peer.Stream stream = connect(client);
        stream.send(operation(2).setFinish(Finish.getDefaultInstance()));
        stream.send(write(2, "more"));
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void inputs_moreThanMayWaitForAReader_closeWith4000() {
        Peer.Stream stream = connect(ending(HuddleClient.withKey(peer.uri(), KEY, options())));
        for (int i = 1; i <= 1_024; i++) {
            stream.send(write(2 * i, "x"));
        }
        Awaiting.holds(ms(200), "connected", () -> losses.isEmpty());
        stream.send(write(2 * 1_025, "x"));
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void operations_malformed_closeWith4000() {
        for (ByteStreamOperation.Builder malformed : new ByteStreamOperation.Builder[] {
            operation(2), operation(0).setFinish(Finish.getDefaultInstance()), write(1, "a client's id"), write(-2, "x")
        }) {
            HuddleClient one =
                    ending(HuddleClient.withKey(peer.uri(), KEY, options().reconnect(false)));
            Peer.Stream stream = connect(one);
            stream.send(malformed);
            assertThat(stream.awaitClose()).isEqualTo(4000);
        }
    }

    private static void writeOrFail(OutputStream output, byte[] bytes) {
        try {
            output.write(bytes);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static Throwable catchCause(CompletableFuture<?> future) {
        return catchThrowable(() -> get(future));
    }

    private static void sendAll(Peer.Stream stream, int id, byte[] bytes) {
        for (int from = 0; from < bytes.length; from += 60_000) {
            int length = Math.min(60_000, bytes.length - from);
            stream.send(operation(id).setWrite(Write.newBuilder().setChunk(ByteString.copyFrom(bytes, from, length))));
        }
        stream.send(operation(id).setFinish(Finish.getDefaultInstance()));
    }

    private static void awaitFinish(Peer.Stream stream, int id) {
        stream.await(
                "the end of " + id,
                one -> one.getByteStreamOperation().getStreamId() == id
                        && one.getByteStreamOperation().hasFinish());
    }

    private static ByteString written(Peer.Stream stream, int id) {
        return stream.received().stream()
                .map(ClientMessage::getByteStreamOperation)
                .filter(one -> one.getStreamId() == id && one.hasWrite())
                .map(one -> one.getWrite().getChunk())
                .reduce(ByteString.EMPTY, ByteString::concat);
    }

    private static ByteStreamOperation.Builder write(int id, String text) {
        return operation(id).setWrite(Write.newBuilder().setChunk(ByteString.copyFromUtf8(text)));
    }

    private static ByteStreamOperation.Builder operation(int id) {
        return ByteStreamOperation.newBuilder().setStreamId(id);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
