package io.huddle.client;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A byte stream from the server. Reading waits for bytes. For one thread at a time.
 *
 * <p>Who does not read holds up the connection: with four megabytes unread the client stops reading from its socket, and
 * then no answer arrives either. So read to the end, or close.
 */
public final class ByteInput extends InputStream {
    private final ByteStreams streams;
    private final int id;
    private final Condition changed;

    /** Guarded by the lock of the streams, as is all below. */
    private final Queue<ByteBuffer> chunks = new ArrayDeque<>();

    int buffered;
    boolean attached;
    private boolean finished;
    private @Nullable String broken;

    ByteInput(ByteStreams streams, int id) {
        this.streams = streams;
        this.id = id;
        this.changed = streams.lock.newCondition();
    }

    /** The stream's number on the wire, even. */
    public int id() {
        return id;
    }

    /** @throws IOException if the stream was broken off by the server or with the connection */
    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    /** @throws IOException if the stream was broken off by the server or with the connection */
    @Override
    public int read(byte[] into, int start, int count) throws IOException {
        Objects.checkFromIndexSize(start, count, into.length);
        if (count == 0) {
            return 0;
        }
        int read;
        streams.lock.lock();
        try {
            while (chunks.isEmpty() && !hasEnded()) {
                changed.await();
            }
            ByteBuffer chunk = chunks.peek();
            if (broken != null) {
                throw new IOException(broken);
            }
            if (chunk == null) {
                return -1;
            }
            read = Math.min(count, chunk.remaining());
            chunk.get(into, start, read);
            buffered -= read;
            if (!chunk.hasRemaining()) {
                chunks.remove();
            }
        } catch (InterruptedException interrupted) {
            throw ByteOutput.interrupted();
        } finally {
            streams.lock.unlock();
        }
        streams.taken(read);
        return read;
    }

    @Override
    public int available() {
        streams.lock.lock();
        try {
            return broken == null ? buffered : 0;
        } finally {
            streams.lock.unlock();
        }
    }

    /** Wants no more; the server is told, if it is still sending. Idempotent, for any thread. */
    @Override
    public void close() {
        streams.destroy(this, null);
    }

    /** As {@link #close()}, and tells the server why. */
    public void destroy(String reason) {
        streams.destroy(this, reason);
    }

    // Under the lock.

    void add(ByteString chunk) {
        if (!chunk.isEmpty()) {
            chunks.add(chunk.asReadOnlyByteBuffer());
            buffered += chunk.size();
            changed.signalAll();
        }
    }

    void finish() {
        finished = true;
        changed.signalAll();
    }

    /** Answers how many bytes are forgotten; a stream that came to its end keeps them. */
    int breakOff(@Nullable String reason) {
        if (hasEnded()) {
            return 0;
        }
        broken = reason == null ? "broken off" : reason;
        return drop();
    }

    boolean hasEnded() {
        return finished || broken != null;
    }

    /** Forgets what was not read, and answers how much that was. */
    int drop() {
        int dropped = buffered;
        chunks.clear();
        buffered = 0;
        if (broken == null) {
            broken = "closed";
        }
        changed.signalAll();
        return dropped;
    }
}
