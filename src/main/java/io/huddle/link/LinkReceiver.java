package io.huddle.link;

import com.google.protobuf.ByteString;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Takes the bytes of one stream from another node. Called by one thread at a time, in the order of their sending. */
public abstract class LinkReceiver {
    /**
     * Takes a chunk. The next one comes after the stage has completed; meanwhile the sender is held back once a window of
     * bytes is under way. A stage that fails breaks the stream off.
     */
    public abstract CompletionStage<Void> accept(ByteString chunk);

    /** All bytes have come. */
    public abstract void finished();

    /**
     * Broken off, by the sender or with the link; no reason where none was given. Nothing follows; a chunk may still
     * be in the taking. */
    public abstract void destroyed(@Nullable String reason);
}
