package io.huddle.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be written to one socket: bounded, one frame under way at a time, each next one started when the one
 * before is done. Safe for use by any thread.
 *
 * <p>The platform allows one write at a time per socket and loses others without a word; that is why nothing else may
 * write. Frames of byte streams wait in a lane of their own and go out when no message waits, so that bulk never holds up
 * a call by more than one frame. No lock is held while the socket is written to.
 */
final class Outbox {
    /** What a waiting message takes of memory however short it is, in bytes: their number is bounded by it. */
    private static final int LEAST_WEIGHT = 256;

    private static final int FEWEST = 64;

    private final Wire wire;
    private final int most;

    private @Nullable Queue<Frame> messages;
    private @Nullable Queue<Frame> bulk;
    private long waitingBytes;
    private boolean pumping;
    private @Nullable Frame underWay;
    private long startedAt;
    private @Nullable Runnable closer;
    private boolean closing;
    private @Nullable CompletableFuture<Void> quiet;

    /** The socket. The callback comes once, on any thread, with null if the frame was written. */
    @FunctionalInterface
    interface Wire {
        void send(Frame frame, Consumer<@Nullable Throwable> done);
    }

    /** @param most how many bytes may wait, without the frame under way */
    Outbox(Wire wire, int most) {
        this.wire = wire;
        this.most = most;
    }

    /** Takes a message; false if it is closing or as much waits as may wait. */
    boolean offer(Frame frame) {
        synchronized (this) {
            if (closing || waitingBytes + frame.bytes() > most) {
                return false;
            }
            if (messages == null) {
                messages = new ArrayDeque<>(2);
            } else if (messages.size() >= Math.max(FEWEST, most / LEAST_WEIGHT)) {
                return false;
            }
            messages.add(frame);
            waitingBytes += frame.bytes();
        }
        pump();
        return true;
    }

    /** Takes a frame of a byte stream, whose sender waits for it: it does not count against the bound. */
    boolean offerBulk(Frame frame) {
        synchronized (this) {
            if (closing) {
                return false;
            }
            if (bulk == null) {
                bulk = new ArrayDeque<>(2);
            }
            bulk.add(frame);
        }
        pump();
        return true;
    }

    /** Takes a message back; true if the socket has not been given it and never will. */
    synchronized boolean withdraw(Frame frame) {
        if (frame.started || messages == null || !messages.remove(frame)) {
            return false;
        }
        waitingBytes -= frame.bytes();
        return true;
    }

    /** Completes when the outbox is closing and no frame is under way. */
    CompletionStage<Void> quiet() {
        CompletableFuture<Void> asked;
        boolean isQuiet;
        synchronized (this) {
            if (quiet == null) {
                quiet = new CompletableFuture<>();
            }
            asked = quiet;
            isQuiet = isQuiet();
        }
        if (isQuiet) {
            asked.complete(null);
        }
        return asked;
    }

    /** The socket is closed: what was under way is so no more, whether or not the platform says so. */
    void closed() {
        Frame last;
        CompletableFuture<Void> waited;
        synchronized (this) {
            closing = true;
            last = underWay;
            underWay = null;
            waited = quiet;
        }
        if (last != null) {
            last.sent().completeExceptionally(new CallFailed(CallFailed.Reason.DISCONNECTED));
        }
        if (waited != null) {
            waited.complete(null);
        }
    }

    private boolean isQuiet() {
        return closing && underWay == null && (messages == null || messages.isEmpty());
    }

    /** True if the frame under way has been so for longer than this. */
    synchronized boolean isStalled(long now, long nanos) {
        return underWay != null && now - startedAt > nanos;
    }

    /**
     * Takes nothing more, and closes the socket when the frame under way is done.
     *
     * @param flush whether what waits is still to be sent; otherwise it is dropped
     * @param close closes the socket; run once, on any thread
     */
    void close(boolean flush, Runnable close) {
        List<Frame> dropped = new ArrayList<>();
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
            closer = close;
            drop(bulk, dropped);
            if (!flush) {
                drop(messages, dropped);
                waitingBytes = 0;
            }
        }
        dropped.forEach(frame -> frame.sent().completeExceptionally(new CallFailed(CallFailed.Reason.DISCONNECTED)));
        pump();
    }

    /** Closes the socket although a frame is under way: the peer does not take it. */
    void closeNow() {
        List<Frame> dropped = new ArrayList<>();
        Runnable close;
        synchronized (this) {
            close = closer;
            closer = null;
            drop(messages, dropped);
        }
        dropped.forEach(frame -> frame.sent().completeExceptionally(new CallFailed(CallFailed.Reason.DISCONNECTED)));
        if (close != null) {
            close.run();
        }
    }

    private static void drop(@Nullable Queue<Frame> queue, List<Frame> dropped) {
        if (queue != null) {
            dropped.addAll(queue);
            queue.clear();
        }
    }

    /** Starts what can be started. A callback that comes inside {@code send} does not start the next one itself. */
    private void pump() {
        synchronized (this) {
            if (pumping) {
                return;
            }
            pumping = true;
        }
        while (true) {
            Frame next;
            Runnable close = null;
            CompletableFuture<Void> waited = null;
            synchronized (this) {
                next = underWay == null ? poll() : null;
                if (next == null) {
                    pumping = false;
                    if (underWay == null && closing) {
                        close = closer;
                        closer = null;
                        waited = quiet;
                    }
                } else {
                    next.started = true;
                    underWay = next;
                    startedAt = System.nanoTime();
                }
            }
            if (next == null) {
                if (close != null) {
                    close.run();
                }
                if (waited != null) {
                    waited.complete(null);
                }
                return;
            }
            start(next);
        }
    }

    private void start(Frame frame) {
        try {
            wire.send(frame, failed -> done(frame, failed));
        } catch (RuntimeException failed) {
            done(frame, failed);
        }
    }

    private void done(Frame frame, @Nullable Throwable failed) {
        synchronized (this) {
            if (underWay != frame) {
                return;
            }
            underWay = null;
        }
        if (failed == null) {
            frame.sent().complete(null);
        } else {
            frame.sent().completeExceptionally(failed);
        }
        pump();
    }

    private @Nullable Frame poll() {
        Frame message = messages == null ? null : messages.poll();
        if (message != null) {
            waitingBytes -= message.bytes();
            return message;
        }
        return bulk == null ? null : bulk.poll();
    }
}
