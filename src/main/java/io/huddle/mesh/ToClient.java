package io.huddle.mesh;

import io.huddle.stream.ByteReceiver;
import io.huddle.stream.ByteSender;
import io.huddle.stream.ByteSource;
import io.huddle.stream.StreamError;
import io.huddle.web.Refusal;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A byte stream on its way to a client of this node, as long as the node may speak to that client. Whichever of its two ends
 * breaks off, the other one learns it, with the reason. Safe for use by any thread; nothing blocks.
 */
final class ToClient implements ByteReceiver {
    private final ByteSender sender;
    private final BooleanSupplier mayDeliver;

    private ToClient(ByteSender sender, BooleanSupplier mayDeliver) {
        this.sender = sender;
        this.mayDeliver = mayDeliver;
    }

    /**
     * Lets the bytes flow.
     *
     * @param mayDeliver asked before each chunk
     * @return ends the flow for both
     * @throws RuntimeException as the source does; the sender is destroyed then
     */
    static ByteSource.BreakOff pour(ByteSource bytes, ByteSender sender, BooleanSupplier mayDeliver) {
        ByteSource.BreakOff source;
        try {
            source = bytes.flowInto(new ToClient(sender, mayDeliver));
        } catch (RuntimeException refused) {
            sender.destroy(null);
            throw refused;
        }
        sender.whenBroken(source);
        return reason -> {
            sender.destroy(reason);
            source.breakOff(reason);
        };
    }

    @Override
    public CompletionStage<Void> accept(ByteBuffer chunk) {
        return mayDeliver.getAsBoolean()
                ? sender.write(chunk)
                : CompletableFuture.failedFuture(new StreamError(Refusal.OWNER_UNAVAILABLE.slug(), false));
    }

    @Override
    public void finished() {
        var unused = sender.finish();
    }

    @Override
    public void destroyed(@Nullable String reason) {
        sender.destroy(reason);
    }
}
