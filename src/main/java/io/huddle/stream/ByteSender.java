package io.huddle.stream;

import com.google.protobuf.UnsafeByteOperations;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ByteStreamOperation.Destroy;
import io.huddle.wire.ByteStreamOperation.Finish;
import io.huddle.wire.ByteStreamOperation.Write;
import io.huddle.wire.ServerMessage;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sends one byte stream to the client. To be written to by one thread at a time. */
public final class ByteSender {
    /** What goes into one frame: small, so that a call waits for little behind it. */
    private static final int PIECE = 64 * 1024;

    private final int id;
    private final ClientStream stream;
    private final ByteStreams all;
    private boolean over;
    private boolean enqueuing;
    private @Nullable ByteStreamOperation last;
    private boolean isBroken;
    private @Nullable String reason;
    private ByteSource.@Nullable BreakOff observer;

    ByteSender(int id, ClientStream stream, ByteStreams all) {
        this.id = id;
        this.stream = stream;
        this.all = all;
    }

    /** The stream's number on the wire, even. */
    public int id() {
        return id;
    }

    /**
     * Sends a chunk; what it holds may be reused once the stage has completed.
     *
     * @return completes when the socket has taken all of it, which is when the next one may come: a client that reads slowly
     *     slows its sender down. Exceptionally with a {@link StreamError} when the stream is finished or destroyed, and when
     *     the connection has ended
     */
    public CompletionStage<Void> write(ByteBuffer chunk) {
        synchronized (this) {
            if (over) {
                return CompletableFuture.failedFuture(new StreamError("the byte stream is over", false));
            }
            enqueuing = true;
        }
        CompletableFuture<Void> sent;
        try {
            ByteBuffer piece = chunk.slice();
            piece.limit(Math.min(PIECE, piece.remaining()));
            chunk.position(chunk.position() + piece.remaining());
            sent = send(operation()
                    .setWrite(Write.newBuilder().setChunk(UnsafeByteOperations.unsafeWrap(piece)))
                    .build());
        } finally {
            enqueued();
        }
        return chunk.hasRemaining() ? sent.thenCompose(done -> write(chunk)) : sent;
    }

    private void enqueued() {
        ByteStreamOperation after;
        synchronized (this) {
            enqueuing = false;
            after = last;
            last = null;
        }
        if (after != null) {
            var unused = send(after);
        }
    }

    /** All bytes were written; completes when the socket has taken that. */
    public CompletableFuture<Void> finish() {
        synchronized (this) {
            if (over || isBroken) {
                return CompletableFuture.failedFuture(new StreamError("the byte stream is over", false));
            }
            over = true;
        }
        all.sent(this);
        return send(operation().setFinish(Finish.getDefaultInstance()).build());
    }

    /** Breaks the stream off; the client learns the reason. Idempotent, for any thread, also while another one writes. */
    public void destroy(@Nullable String reason) {
        ByteStreamOperation end = operation().setDestroy(destroyed(reason)).build();
        synchronized (this) {
            if (over || isBroken) {
                return;
            }
            over = true;
            if (enqueuing) {
                // Nothing may follow it on the wire.
                last = end;
                end = null;
            }
        }
        all.sent(this);
        if (end != null) {
            var unused = send(end);
        }
    }

    /**
     * Tells once, on any thread, if the byte stream is broken off before its end from the other side: by the client, with its
     * reason or null, or with the connection, with {@code client-disconnected}. At once, if it was.
     */
    public void whenBroken(ByteSource.BreakOff told) {
        String why;
        synchronized (this) {
            if (!isBroken) {
                observer = told;
                return;
            }
            why = reason;
        }
        told.breakOff(why);
    }

    /** The client or the end of the connection broke it off. */
    void broken(@Nullable String why) {
        ByteSource.BreakOff told;
        synchronized (this) {
            isBroken = true;
            reason = why;
            told = observer;
            observer = null;
        }
        if (told != null) {
            // Before a write fails, which could not tell the reason.
            told.breakOff(why);
        }
        synchronized (this) {
            over = true;
        }
    }

    static Destroy destroyed(@Nullable String reason) {
        Destroy.Builder destroy = Destroy.newBuilder();
        if (reason != null) {
            destroy.setError(reason);
        }
        return destroy.build();
    }

    private ByteStreamOperation.Builder operation() {
        return ByteStreamOperation.newBuilder().setStreamId(id);
    }

    private CompletableFuture<Void> send(ByteStreamOperation operation) {
        Frame frame = stream.encode(
                ServerMessage.newBuilder().setByteStreamOperation(operation).build());
        return stream.sendBulk(frame)
                ? frame.sent()
                : CompletableFuture.failedFuture(new StreamError(ByteStreams.DISCONNECTED, false));
    }
}
