package io.huddle.link;

import com.google.protobuf.ByteString;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes the bytes of one stream from another node. Called by one thread at a time, in the order of their sending. */
public abstract class LinkReceiver {
    /** The reason that is told of a stream that ended with its link. */
    public static final String LINK_LOST = "the link was lost";

    private @Nullable Consumer<@Nullable String> breaking;
    private boolean isUnwanted;
    private @Nullable String why;

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

    /**
     * Wants no more: the sender learns the reason, and this is told nothing more but of a chunk that is on its way already.
     * Idempotent, for any thread.
     */
    public final void breakOff(@Nullable String reason) {
        Consumer<@Nullable String> known;
        synchronized (this) {
            known = breaking;
            if (!isUnwanted) {
                isUnwanted = true;
                why = reason;
            }
        }
        if (known != null) {
            known.accept(reason);
        }
    }

    /** @param how ends the stream, which exists from now on; idempotent */
    final void bind(Consumer<@Nullable String> how) {
        String reason;
        synchronized (this) {
            breaking = how;
            if (!isUnwanted) {
                return;
            }
            reason = why;
        }
        how.accept(reason);
    }
}
