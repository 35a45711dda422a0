package io.huddle.client;

import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be sent. The socket takes one message at a time: the next one is given to it when it has taken the one
 * before. For any thread.
 */
final class Outbox {
    private final WebSocket socket;
    private final Consumer<Throwable> broken;

    /** Guarded by this, as is all below. */
    private final Queue<Frame> waiting = new ArrayDeque<>();

    private long bytes;
    private boolean sending;
    private boolean closed;

    Outbox(WebSocket socket, Consumer<Throwable> broken) {
        this.socket = socket;
        this.broken = broken;
    }

    /** False if the outbox is full or closed; then the frame is not sent and hears nothing. */
    boolean offer(Frame frame) {
        synchronized (this) {
            if (closed || bytes + frame.size() > Limits.OUTGOING_BYTES) {
                return false;
            }
            waiting.add(frame);
            bytes += frame.size();
            if (sending) {
                return true;
            }
            sending = true;
        }
        pump();
        return true;
    }

    /** Drops what the socket has not begun with. */
    void close() {
        List<Frame> dropped;
        synchronized (this) {
            closed = true;
            dropped = List.copyOf(waiting);
            waiting.clear();
            bytes = 0;
        }
        dropped.forEach(Frame::leaves);
    }

    private void pump() {
        for (Frame frame = next(); frame != null; frame = next()) {
            Frame current = frame;
            CompletableFuture<WebSocket> sent =
                    frame.starts() ? socket.sendBinary(ByteBuffer.wrap(frame.bytes()), true) : done();
            if (!sent.isDone()) {
                var unused = sent.whenComplete((socketAgain, failed) -> {
                    left(current, failed);
                    pump();
                });
                return;
            }
            left(current, sent.isCompletedExceptionally() ? failure(sent) : null);
        }
    }

    private synchronized @Nullable Frame next() {
        Frame frame = waiting.poll();
        sending = frame != null;
        return frame;
    }

    private void left(Frame frame, @Nullable Throwable failed) {
        synchronized (this) {
            bytes = Math.max(0, bytes - frame.size());
        }
        frame.leaves();
        if (failed != null) {
            broken.accept(HuddleFailure.unwrapped(failed));
        }
    }

    private CompletableFuture<WebSocket> done() {
        return CompletableFuture.completedFuture(socket);
    }

    private static Throwable failure(CompletableFuture<?> failed) {
        return failed.handle((nothing, cause) -> cause).join();
    }
}
