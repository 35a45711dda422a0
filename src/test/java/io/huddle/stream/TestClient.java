package io.huddle.stream;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.security.Identity;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.ServerMessage;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client without a server, for tests of what is above: its stream is real, and what it is sent is kept. It writes byte
 * streams, reads those of the server unless told to stop, and answers calls as the test says. For any thread.
 */
public final class TestClient {
    /** As in the product, but for the wait: a reader that is held back is held until the test goes on. */
    private static final Limits LIMITS = new Limits(
            8 << 20,
            8 << 20,
            128,
            64,
            128,
            Duration.ofSeconds(75),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            true,
            2 << 20,
            1_024,
            Duration.ofSeconds(5),
            Duration.ofSeconds(60));

    public final ClientStream stream;
    private final List<ByteStreamOperation> operations = new CopyOnWriteArrayList<>();
    private final List<DCallRequest> calls = new CopyOnWriteArrayList<>();
    private final List<Consumer<@Nullable Throwable>> held = new ArrayList<>();
    private final Object reading = new Object();
    private boolean isStuck;
    private volatile Function<DCallRequest, ClientMessage.@Nullable Builder> answers = call -> null;

    /** A client of the team, connected. */
    public TestClient(String id, String team) {
        Handshake handshake = new Handshake(
                new Identity.Client(id, Set.of(), Set.of(team)), id, "st-" + id, 4, "1", false, Set.of(), Map.of());
        Services services = new Services(
                LIMITS,
                new Dispatcher(),
                new TestStreams.Uncounted(),
                new TestStreams.Quiet(),
                new TestStreams.Untraced(),
                (stuck, close) -> close.run(),
                new Semaphore(4),
                (ended, wasPublic) -> {});
        stream = new ClientStream(handshake, Codec.PROTOBUF, services, this::take, (cause, reason) -> {});
        stream.greet();
        stream.publish();
        stream.begin();
    }

    /** Answers calls from now on. */
    public void answer(Function<DCallRequest, DCallResponse.Builder> how) {
        answers = call -> ClientMessage.newBuilder().setDCallResponse(how.apply(call));
    }

    /** Answers calls with this error from now on. */
    public void fail(String error) {
        answers = call -> ClientMessage.newBuilder().setError(error);
    }

    public List<DCallRequest> calls() {
        return List.copyOf(calls);
    }

    public void write(int id, ByteString chunk) {
        operate(operation(id).setWrite(ByteStreamOperation.Write.newBuilder().setChunk(chunk)));
    }

    public void finish(int id) {
        operate(operation(id).setFinish(ByteStreamOperation.Finish.getDefaultInstance()));
    }

    public void destroy(int id, @Nullable String reason) {
        operate(operation(id).setDestroy(ByteSender.destroyed(reason)));
    }

    /** What has come of this byte stream. */
    public ByteString received(int id) {
        List<ByteString> chunks = new ArrayList<>();
        for (ByteStreamOperation one : operations) {
            if (one.getStreamId() == id && one.hasWrite()) {
                chunks.add(one.getWrite().getChunk());
            }
        }
        return ByteString.copyFrom(chunks);
    }

    /** How this byte stream ended for the client, of whichever direction it is: every end that it was told. */
    public List<String> ends(int id) {
        List<String> ends = new ArrayList<>();
        for (ByteStreamOperation one : operations) {
            if (one.getStreamId() == id && one.hasFinish()) {
                ends.add("finished");
            } else if (one.getStreamId() == id && one.hasDestroy()) {
                ends.add("destroyed "
                        + (one.getDestroy().hasError() ? one.getDestroy().getError() : null));
            }
        }
        return ends;
    }

    /** The socket takes one frame more, and then nothing until {@link #unstick()}. */
    public void stick() {
        synchronized (held) {
            isStuck = true;
        }
    }

    public void unstick() {
        List<Consumer<@Nullable Throwable>> all;
        synchronized (held) {
            isStuck = false;
            all = new ArrayList<>(held);
            held.clear();
        }
        all.forEach(done -> done.accept(null));
    }

    /** The connection breaks. */
    public void cut() {
        stream.lost();
    }

    private void operate(ByteStreamOperation.Builder operation) {
        receive(ClientMessage.newBuilder().setByteStreamOperation(operation).build());
    }

    private static ByteStreamOperation.Builder operation(int id) {
        return ByteStreamOperation.newBuilder().setStreamId(id);
    }

    private void receive(ClientMessage message) {
        synchronized (reading) {
            stream.receive(message, message.getSerializedSize());
        }
    }

    private void take(Frame frame, Consumer<@Nullable Throwable> done) {
        ServerMessage message = parsed(frame);
        if (message.hasByteStreamOperation()) {
            operations.add(message.getByteStreamOperation());
        }
        if (message.hasDCallRequest()) {
            called(message);
        }
        synchronized (held) {
            if (isStuck) {
                held.add(done);
                return;
            }
        }
        done.accept(null);
    }

    private void called(ServerMessage message) {
        calls.add(message.getDCallRequest());
        var unused = CompletableFuture.runAsync(() -> {
            ClientMessage.Builder answer = answers.apply(message.getDCallRequest());
            if (answer != null) {
                receive(answer.setRequestId(message.getRequestId())
                        .setReply(true)
                        .build());
            }
        });
    }

    private static ServerMessage parsed(Frame frame) {
        ByteBuffer binary = frame.binary();
        if (binary == null) {
            throw new IllegalStateException("no frame of this codec");
        }
        try {
            return ServerMessage.parseFrom(binary.duplicate());
        } catch (InvalidProtocolBufferException defect) {
            throw new IllegalStateException(defect);
        }
    }
}
