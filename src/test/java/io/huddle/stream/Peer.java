package io.huddle.stream;

import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.security.Identity;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A stream without a server: what it writes is collected, its handlers are the test's. */
final class Peer {
    static final Limits LIMITS = new Limits(
            100_000,
            200_000,
            4,
            3,
            3,
            Duration.ofSeconds(75),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            true,
            10_000,
            5,
            Duration.ofSeconds(5),
            Duration.ofMillis(200));

    final List<ServerMessage> sent = new ArrayList<>();
    final List<String> closes = new ArrayList<>();
    final List<String> hits = new ArrayList<>();
    final List<Boolean> ends = new ArrayList<>();
    final ClientStream stream;
    private final List<Consumer<@Nullable Throwable>> writes = new ArrayList<>();
    private boolean stuck;

    private final class Counted extends TestStreams.Uncounted {
        @Override
        void hit(String limit) {
            hits.add(limit);
        }
    }

    /** A handler that the test gives: answers now or later. */
    static final class Given extends Dispatcher {
        private final Function<ClientMessage, CompletionStage<Outcome>> handler;

        Given(Function<ClientMessage, CompletionStage<Outcome>> handler) {
            this.handler = handler;
        }

        @Override
        void run(ClientStream stream, Requests.Request request, BiConsumer<Requests.Request, Outcome> answer) {
            handler.apply(request.message())
                    .whenComplete((outcome, failed) ->
                            answer.accept(request, failed == null ? outcome : Outcome.failed("internal-error", false)));
        }
    }

    Peer(int protocol, Limits limits, Dispatcher dispatcher) {
        Handshake handshake = new Handshake(
                new Identity.Client("c-test", Set.of(), Set.of()),
                "c-test",
                "st-1",
                protocol,
                "1",
                false,
                Set.of(),
                Map.of());
        Services services = new Services(
                limits,
                dispatcher,
                new Counted(),
                new TestStreams.Quiet(),
                new TestStreams.Untraced(),
                (isStuck, close) -> close.run(),
                new Semaphore(4),
                (stream, wasPublic) -> ends.add(wasPublic));
        stream = new ClientStream(
                handshake,
                Codec.PROTOBUF,
                services,
                this::write,
                (cause, reason) -> closes.add(cause.code() + " " + reason));
    }

    /** From now on the socket takes nothing until {@link #unstick()}. */
    void stick() {
        stuck = true;
    }

    void unstick() {
        stuck = false;
        List<Consumer<@Nullable Throwable>> all = new ArrayList<>(writes);
        writes.clear();
        all.forEach(done -> done.accept(null));
    }

    private void write(Frame frame, Consumer<@Nullable Throwable> done) {
        try {
            ByteBuffer binary = frame.binary();
            sent.add(ServerMessage.parseFrom(binary == null ? ByteBuffer.allocate(0) : binary.duplicate()));
        } catch (InvalidProtocolBufferException defect) {
            throw new IllegalStateException(defect);
        }
        if (stuck) {
            writes.add(done);
        } else {
            done.accept(null);
        }
    }

    void receive(ClientMessage.Builder message) {
        ClientMessage built = message.build();
        stream.receive(built, built.getSerializedSize());
    }

    /** Makes it public, as the activation does. */
    Peer open() {
        stream.greet();
        stream.publish();
        stream.begin();
        sent.clear();
        return this;
    }
}
