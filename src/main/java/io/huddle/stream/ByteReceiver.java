package io.huddle.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Takes the bytes of one byte stream of the client. Called by one thread at a time, in the order of arrival. */
public interface ByteReceiver {
    /**
     * Takes a chunk. The next one comes after the stage has completed; meanwhile up to the stream's limit is buffered, and
     * past it the client is made to wait. A stage that fails breaks the byte stream off; the client is told the text of a
     * {@link StreamError}, and of anything else that the receiver failed.
     */
    CompletionStage<Void> accept(ByteBuffer chunk);

    /** All bytes have come. */
    void finished();

    /**
     * The stream was broken off: by the client, by a failed {@link #accept} or by {@link ByteSource.BreakOff}, with the reason
     * that was given, or null; or with the connection, with {@code client-disconnected}.
     */
    void destroyed(@Nullable String reason);
}
