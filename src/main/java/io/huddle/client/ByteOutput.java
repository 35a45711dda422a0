package io.huddle.client;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A byte stream to the server. Writing waits while the connection has a megabyte of such bytes to send, so do not write on
 * a thread that must not wait. Small writes are gathered until {@link #flush} or 64 KiB. For one thread at a time.
 *
 * <p>{@link #close} says that all bytes were written; who fails in between calls {@link #destroy}, which a
 * try-with-resources around a failing block cannot know.
 */
public final class ByteOutput extends OutputStream {
    static final String DISCONNECTED = "disconnected";

    private final ByteStreams streams;
    private final int id;
    private final byte[] gathered = new byte[Limits.CHUNK_BYTES];
    private int length;

    /** Why no more can be written; guarded by the lock of the streams. */
    private @Nullable String over;

    ByteOutput(ByteStreams streams, int id) {
        this.streams = streams;
        this.id = id;
    }

    /** The stream's number on the wire, odd, as a request names it. */
    public int id() {
        return id;
    }

    /** @throws IOException if the stream is closed, or was broken off by the server or with the connection */
    @Override
    public void write(int one) throws IOException {
        if (length == gathered.length) {
            flush();
        }
        gathered[length++] = (byte) one;
    }

    /** @throws IOException if the stream is closed, or was broken off by the server or with the connection */
    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, bytes.length);
        int from = offset;
        int left = count;
        while (left > 0) {
            if (length == gathered.length) {
                flush();
            }
            int part = Math.min(left, gathered.length - length);
            System.arraycopy(bytes, from, gathered, length, part);
            length += part;
            from += part;
            left -= part;
        }
        check();
    }

    /** Hands what was gathered to the connection; that it arrived only an answer of the server can tell. */
    @Override
    public void flush() throws IOException {
        check();
        if (length > 0) {
            ByteString chunk = ByteString.copyFrom(gathered, 0, length);
            length = 0;
            streams.write(this, chunk);
        }
    }

    /** All bytes were written. Idempotent. */
    @Override
    public void close() throws IOException {
        if (isOver()) {
            return;
        }
        flush();
        streams.finish(this);
        breakOff("closed");
    }

    /** Breaks the stream off. Idempotent, for any thread. */
    public void destroy(@Nullable String reason) {
        streams.destroy(this, reason);
        breakOff("destroyed");
    }

    void breakOff(@Nullable String reason) {
        streams.lock.lock();
        try {
            if (over == null) {
                over = reason == null ? "broken off" : reason;
            }
        } finally {
            streams.lock.unlock();
        }
    }

    void check() throws IOException {
        streams.lock.lock();
        try {
            if (over != null) {
                throw new IOException(over);
            }
        } finally {
            streams.lock.unlock();
        }
    }

    private boolean isOver() {
        streams.lock.lock();
        try {
            return over != null;
        } finally {
            streams.lock.unlock();
        }
    }

    static InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted");
    }
}
