package io.huddle.mesh;

import io.huddle.stream.ByteReceiver;
import io.huddle.stream.ByteSource;
import io.huddle.stream.StreamError;
import io.huddle.web.Refusal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A byte stream that was named in a call and is not taken yet. It is received at once, so that it is known to be one and
 * that its first chunk holds its sender back; whoever takes it gets it whole. One that nobody takes in time is broken off.
 * Safe for use by any thread; nothing blocks.
 */
final class Announced implements ByteSource, ByteReceiver {
    private final CompletableFuture<ByteReceiver> taker = new CompletableFuture<>();
    private final CompletableFuture<Boolean> timer = new CompletableFuture<>();
    private final BreakOff source;

    /** @throws StreamError as the source does */
    private Announced(ByteSource from) {
        source = from.flowInto(this);
    }

    /**
     * @param patience how long it waits for its taker
     * @throws StreamError if there is no such byte stream
     */
    static Announced of(ByteSource source, Duration patience) {
        Announced made = new Announced(source);
        var unused = made.timer
                .completeOnTimeout(Boolean.TRUE, patience.toMillis(), TimeUnit.MILLISECONDS)
                .thenAccept(late -> made.breakOff(Refusal.DEADLINE_EXCEEDED.slug()));
        return made;
    }

    @Override
    public BreakOff flowInto(ByteReceiver receiver) {
        if (!taker.complete(receiver)) {
            throw new StreamError("the byte stream is over or has a receiver", false);
        }
        timer.cancel(false);
        return source;
    }

    /** Ends it, taken or not; both sides learn the reason. Idempotent. */
    void breakOff(String reason) {
        source.breakOff(reason);
        taker.completeExceptionally(new StreamError(reason, false));
        timer.cancel(false);
    }

    /** Runs once, if it is broken off before anybody takes it. */
    void whenLost(Runnable told) {
        var unused = taker.whenComplete((receiver, lost) -> {
            if (lost != null) {
                told.run();
            }
        });
    }

    @Override
    public CompletionStage<Void> accept(ByteBuffer chunk) {
        return taker.thenCompose(receiver -> receiver.accept(chunk));
    }

    @Override
    public void finished() {
        var unused = taker.thenAccept(ByteReceiver::finished);
    }

    @Override
    public void destroyed(@Nullable String reason) {
        var unused = taker.thenAccept(receiver -> receiver.destroyed(reason));
    }
}
