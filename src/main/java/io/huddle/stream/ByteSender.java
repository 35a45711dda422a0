package io.huddle.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sends one byte stream to the client. For use by one thread at a time. */
@SuppressWarnings("DoNotCallSuggester")
public final class ByteSender {
    /** The stream's number on the wire, even. */
    public int id() {
        throw new UnsupportedOperationException();
    }

    /**
     * Sends a chunk; what it holds may be reused once the stage has completed.
     *
     * @return completes when the next chunk may be sent; exceptionally with a {@link StreamError} when the stream is
     *     finished, destroyed or disconnected
     */
    public CompletionStage<Void> write(ByteBuffer chunk) {
        throw new UnsupportedOperationException();
    }

    /** All bytes were written; completes when that is on its way. */
    public CompletableFuture<Void> finish() {
        throw new UnsupportedOperationException();
    }

    /** Breaks the stream off. Idempotent. */
    public void destroy(@Nullable String reason) {
        throw new UnsupportedOperationException();
    }
}
