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

/** Sends one byte stream to the client. For use by one thread at a time. */
public final class ByteSender {
    /** What goes into one frame: small, so that a call waits for little behind it. */
    private static final int PIECE = 64 * 1024;

    private final int id;
    private final ClientStream stream;
    private final ByteStreams all;
    private volatile boolean over;

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
        if (over) {
            return CompletableFuture.failedFuture(new StreamError("the byte stream is over", false));
        }
        ByteBuffer piece = chunk.slice();
        piece.limit(Math.min(PIECE, piece.remaining()));
        chunk.position(chunk.position() + piece.remaining());
        CompletableFuture<Void> sent = send(operation()
                .setWrite(Write.newBuilder().setChunk(UnsafeByteOperations.unsafeWrap(piece)))
                .build());
        return chunk.hasRemaining() ? sent.thenCompose(done -> write(chunk)) : sent;
    }

    /** All bytes were written; completes when the socket has taken that. */
    public CompletableFuture<Void> finish() {
        if (over) {
            return CompletableFuture.failedFuture(new StreamError("the byte stream is over", false));
        }
        over = true;
        all.sent(this);
        return send(operation().setFinish(Finish.getDefaultInstance()).build());
    }

    /** Breaks the stream off; the client learns the reason. Idempotent. */
    public void destroy(@Nullable String reason) {
        if (over) {
            return;
        }
        over = true;
        all.sent(this);
        var unused = send(operation().setDestroy(destroyed(reason)).build());
    }

    /** The client or the end of the connection broke it off. */
    void broken() {
        over = true;
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
                : CompletableFuture.failedFuture(new StreamError("the connection has ended", false));
    }
}
