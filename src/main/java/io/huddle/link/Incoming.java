package io.huddle.link;

import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a stream: hands chunks over one at a time and lets the sender go on as they are taken. Safe for use
 * by any thread.
 */
final class Incoming {
    private final LinkReceiver receiver;
    private final int window;
    private final LongConsumer credit;
    private final Runnable taken;
    private final Consumer<@Nullable String> unwanted;
    private final Queue<ByteString> waiting = new ArrayDeque<>();
    private long underWay;
    private long consumed;
    private boolean busy;
    private boolean finishing;
    private boolean over;

    /**
     * @param credit lets the sender send so many bytes more
     * @param taken told once the receiver has taken all
     * @param unwanted told once, with the reason, when the receiver wants no more
     */
    Incoming(
            LinkReceiver receiver,
            int window,
            LongConsumer credit,
            Runnable taken,
            Consumer<@Nullable String> unwanted) {
        this.receiver = receiver;
        this.window = window;
        this.credit = credit;
        this.taken = taken;
        this.unwanted = unwanted;
    }

    /** False if the sender goes beyond what it may. */
    boolean chunk(ByteString bytes) {
        synchronized (this) {
            if (over) {
                return true;
            }
            if (finishing || underWay + bytes.size() > window) {
                return false;
            }
            underWay += bytes.size();
            waiting.add(bytes);
        }
        next();
        return true;
    }

    void finish() {
        synchronized (this) {
            finishing = true;
        }
        next();
    }

    void destroy(@Nullable String reason) {
        if (end()) {
            receiver.destroyed(reason);
        }
    }

    /** The receiver wants no more. */
    void breakOff(@Nullable String reason) {
        if (end()) {
            unwanted.accept(reason);
        }
    }

    /** False if it was over. */
    private synchronized boolean end() {
        boolean isFirst = !over;
        over = true;
        waiting.clear();
        return isFirst;
    }

    /** Hands over what can be handed over; a chunk that is taken at once is followed by the next one here. */
    private void next() {
        while (true) {
            ByteString chunk;
            boolean isEnd;
            synchronized (this) {
                if (busy || over) {
                    return;
                }
                chunk = waiting.poll();
                isEnd = chunk == null && finishing;
                over = isEnd;
                busy = chunk != null;
            }
            if (isEnd) {
                receiver.finished();
                taken.run();
            }
            if (chunk == null || !hand(chunk)) {
                return;
            }
        }
    }

    /** True if it was taken at once. */
    private boolean hand(ByteString chunk) {
        CompletableFuture<Void> done;
        try {
            done = receiver.accept(chunk).toCompletableFuture();
        } catch (RuntimeException refused) {
            done = CompletableFuture.failedFuture(refused);
        }
        if (done.isDone()) {
            return took(chunk.size(), done.isCompletedExceptionally());
        }
        CompletionStage<Void> unused = done.whenComplete((nothing, refused) -> {
            if (took(chunk.size(), refused != null)) {
                next();
            }
        });
        return false;
    }

    private boolean took(int size, boolean isRefused) {
        if (isRefused) {
            if (end()) {
                receiver.destroyed("the receiver failed");
                unwanted.accept(null);
            }
            return false;
        }
        long more = 0;
        synchronized (this) {
            busy = false;
            consumed += size;
            if (consumed >= window / 4) {
                more = consumed;
                underWay -= consumed;
                consumed = 0;
            }
        }
        if (more > 0) {
            credit.accept(more);
        }
        return true;
    }
}
