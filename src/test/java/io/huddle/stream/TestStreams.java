package io.huddle.stream;

import io.huddle.security.Identity;
import io.huddle.web.Traces;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Real streams without a server, for tests of what is above: what they write goes nowhere. */
public final class TestStreams {
    private final BiConsumer<ClientStream, CloseCause> ended;

    /** @param ended called when a stream has ended, by whoever ended it */
    public TestStreams(BiConsumer<ClientStream, CloseCause> ended) {
        this.ended = ended;
    }

    static class Uncounted extends StreamMetrics {
        @Override
        void closed(CloseCause cause) {}

        @Override
        void request(String method, String outcome) {}

        @Override
        void hit(String limit) {}
    }

    static final class Quiet extends Traffic {
        @Override
        void in(
                ClientStream stream,
                ClientMessage message,
                com.google.protobuf.Descriptors.@Nullable FieldDescriptor body) {}

        @Override
        void out(ClientStream stream, ServerMessage message) {}
    }

    static final class Untraced extends Traces {
        @Override
        public @Nullable String current() {
            return null;
        }
    }

    /** A pending stream of this identity. */
    public ClientStream open(Identity identity, String clientId, boolean supersede) {
        Handshake handshake = new Handshake(identity, clientId, "st-1", 4, "1", supersede, Set.of(), Map.of());
        Services services = new Services(
                Peer.LIMITS,
                new Dispatcher(),
                new Uncounted(),
                new Quiet(),
                new Untraced(),
                (isStuck, close) -> close.run(),
                new Semaphore(4),
                (stream, wasPublic) -> ended.accept(stream, stream.cause()));
        return new ClientStream(
                handshake, Codec.PROTOBUF, services, (frame, done) -> done.accept(null), (cause, reason) -> {});
    }

    public static void publish(ClientStream stream) {
        if (!stream.publish()) {
            throw new IllegalStateException("it has ended");
        }
    }

    public static CloseCause cause(ClientStream stream) {
        return stream.cause();
    }
}
