package io.huddle.stream;

import io.huddle.web.Utf8;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way to a socket, encoded once: binary or text.
 *
 * <p>The flag {@code started} belongs to the outbox: it says whether the socket has been given the frame, after which
 * nobody can know whether it arrives.
 */
final class Frame {
    private final @Nullable ByteBuffer binary;
    private final @Nullable String text;
    private final int bytes;
    private final CompletableFuture<Void> sent = new CompletableFuture<>();

    /** Guarded by the outbox. */
    boolean started;

    private Frame(@Nullable ByteBuffer binary, @Nullable String text, int bytes) {
        this.binary = binary;
        this.text = text;
        this.bytes = bytes;
    }

    static Frame of(ByteBuffer binary) {
        return new Frame(binary, null, binary.remaining());
    }

    static Frame of(String text) {
        return new Frame(null, text, Utf8.length(text));
    }

    @Nullable
    ByteBuffer binary() {
        return binary;
    }

    @Nullable
    String text() {
        return text;
    }

    /** How long it is on the wire, in bytes, without the frame's header. */
    int bytes() {
        return bytes;
    }

    /** Completes when the socket has taken it; exceptionally if it never will. */
    CompletableFuture<Void> sent() {
        return sent;
    }
}
