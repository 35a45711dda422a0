package io.huddle.mesh;

import com.google.protobuf.ByteString;
import io.huddle.link.LinkReceiver;
import io.huddle.stream.ByteReceiver;
import io.huddle.web.Refusal;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A byte stream that another node is to send, or sends. Its receiver hears of one end. Safe for use by any thread. */
final class FromLink extends LinkReceiver {
    private final ByteReceiver receiver;
    private final Ending ending;
    private final AtomicBoolean over = new AtomicBoolean();

    /** Told once, when the byte stream has ended. */
    @FunctionalInterface
    interface Ending {
        void ended(boolean isWhole);
    }

    FromLink(ByteReceiver receiver, Ending ending) {
        this.receiver = receiver;
        this.ending = ending;
    }

    @Override
    public CompletionStage<Void> accept(ByteString chunk) {
        return receiver.accept(chunk.asReadOnlyByteBuffer()).whenComplete((taken, failed) -> {
            if (failed != null) {
                stop(Passages.reason(failed));
            }
        });
    }

    /** Ends it from here: the sender learns the reason, if it has begun or when it does, and the receiver does. */
    void stop(@Nullable String reason) {
        breakOff(reason);
        end(reason);
    }

    /** Ends it for the receiver: the sender has, or never will begin. */
    void end(@Nullable String reason) {
        if (over.compareAndSet(false, true)) {
            ending.ended(false);
            receiver.destroyed(reason);
        }
    }

    @Override
    public void finished() {
        if (over.compareAndSet(false, true)) {
            ending.ended(true);
            receiver.finished();
        }
    }

    @Override
    public void destroyed(@Nullable String reason) {
        end(LINK_LOST.equals(reason) ? Refusal.DELIVERY_INDETERMINATE.slug() : reason);
    }
}
