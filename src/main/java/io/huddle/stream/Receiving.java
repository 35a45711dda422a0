package io.huddle.stream;

import io.huddle.web.Causes;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One byte stream of the client on its way to a receiver: what has come and was not taken, and how it ends. The receiver is
 * called outside the lock, by one thread at a time.
 */
final class Receiving {
    private static final int LEAST_WEIGHT = 128;

    private final int id;
    private final ByteStreams all;
    private final long since = System.nanoTime();
    private final Queue<ByteBuffer> chunks = new ArrayDeque<>();
    private @Nullable ByteReceiver receiver;
    private long bytes;
    private long busyBytes;
    private boolean busy;
    private boolean ended;
    private boolean broken;
    private boolean told;
    private @Nullable String reason;

    Receiving(int id, ByteStreams all) {
        this.id = id;
        this.all = all;
    }

    int id() {
        return id;
    }

    long since() {
        return since;
    }

    synchronized boolean isClaimed() {
        return receiver != null;
    }

    synchronized boolean isBroken() {
        return broken;
    }

    synchronized long bytes() {
        return bytes;
    }

    /** False if it has a receiver already. */
    boolean claim(ByteReceiver taker) {
        synchronized (this) {
            if (receiver != null) {
                return false;
            }
            receiver = taker;
        }
        return true;
    }

    synchronized void add(ByteBuffer chunk) {
        chunks.add(chunk);
        bytes += weight(chunk);
    }

    /** What a chunk counts against the bounds: at least what it takes of memory, so that small ones are not cheap. */
    static int weight(ByteBuffer chunk) {
        return Math.max(chunk.remaining(), LEAST_WEIGHT);
    }

    /** All has come. */
    synchronized void finish() {
        ended = true;
    }

    /** It is broken off: what waits is not delivered any more. Gives the bytes let go. */
    synchronized long destroy(@Nullable String why) {
        long freed = bytes - (busy ? busyBytes : 0);
        chunks.clear();
        bytes = busy ? busyBytes : 0;
        ended = true;
        broken = true;
        reason = why;
        return freed;
    }

    /** Hands over what can be handed over. */
    void deliver() {
        while (true) {
            ByteReceiver to;
            ByteBuffer chunk;
            synchronized (this) {
                if (receiver == null || busy || told) {
                    return;
                }
                to = receiver;
                chunk = chunks.poll();
                if (chunk == null) {
                    if (!ended) {
                        return;
                    }
                    told = true;
                } else {
                    busy = true;
                    busyBytes = weight(chunk);
                }
            }
            if (chunk == null) {
                tellEnd(to);
                return;
            }
            if (!hand(to, chunk)) {
                return;
            }
        }
    }

    /** True if the receiver was done with it at once. */
    private boolean hand(ByteReceiver to, ByteBuffer chunk) {
        CompletionStage<Void> taken;
        try {
            taken = to.accept(chunk);
        } catch (RuntimeException failed) {
            taken = CompletableFuture.failedFuture(failed);
        }
        CompletableFuture<Void> future = taken.toCompletableFuture();
        if (future.isDone()) {
            release(failure(future));
            return true;
        }
        var unused = future.whenComplete((done, failed) -> {
            release(failed);
            deliver();
        });
        return false;
    }

    private static @Nullable Throwable failure(CompletableFuture<Void> done) {
        return done.isCompletedExceptionally()
                ? done.handle((nothing, failed) -> failed).join()
                : null;
    }

    private void release(@Nullable Throwable failed) {
        long freed;
        synchronized (this) {
            busy = false;
            freed = busyBytes;
            busyBytes = 0;
            bytes -= freed;
        }
        all.freed(freed);
        if (failed != null) {
            boolean isTold = Causes.of(failed) instanceof StreamError;
            all.destroy(this, isTold ? Causes.of(failed).getMessage() : "the receiver failed");
        }
    }

    private void tellEnd(ByteReceiver to) {
        all.over(this);
        if (broken) {
            to.destroyed(reason);
        } else {
            to.finished();
        }
    }
}
