package io.huddle.stream;

import com.google.protobuf.Message;
import io.huddle.security.Identity;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * One connection of a client, from its handshake to its end: a generation that never comes back. Safe for use by any
 * thread.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class ClientStream {
    /** The id of this connection, made by the server, unique. */
    public String connectionId() {
        throw new UnsupportedOperationException();
    }

    public String clientId() {
        return handshake().clientId();
    }

    public Identity identity() {
        return handshake().identity();
    }

    public Handshake handshake() {
        throw new UnsupportedOperationException();
    }

    /** The handshake's metadata as a JSON object, or what replaced it since. */
    public String metadata() {
        throw new UnsupportedOperationException();
    }

    /** Replaces the metadata by a JSON object, which the caller has checked. */
    public void metadata(String json) {
        throw new UnsupportedOperationException();
    }

    /** True from publication until the end. */
    public boolean isPublic() {
        throw new UnsupportedOperationException();
    }

    /** True as soon as the stream is revoked, whatever of it is still under way. */
    public boolean isDead() {
        throw new UnsupportedOperationException();
    }

    /**
     * Calls the client and gives the response message of the same method.
     *
     * @param request a request of the server, for instance {@code DSignalRequest}
     * @param answer the response's class, for instance {@code DSignalResponse}
     * @param deadline from now until the answer
     * @return on any thread, so do not work on it for long; exceptionally with the client's {@link StreamError} or with a
     *     {@link CallFailed}
     */
    public <T extends Message> CompletionStage<T> call(Message request, Class<T> answer, Duration deadline) {
        throw new UnsupportedOperationException();
    }

    /** Opens a byte stream to the client. */
    public ByteSender openBytes() {
        throw new UnsupportedOperationException();
    }

    /**
     * Takes the byte stream of the client that has this number, from its first byte on.
     *
     * @throws StreamError if the number is even or has a receiver
     */
    public void receiveBytes(int id, ByteReceiver receiver) {
        throw new UnsupportedOperationException();
    }

    /** Ends the stream: it is dead at once, the close frame follows. Idempotent; the first cause stays. */
    public void close(CloseCause cause, String reason) {
        throw new UnsupportedOperationException();
    }
}
