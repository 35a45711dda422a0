package io.huddle.drift;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * A connection that is over at an instant, however slowly the peer sends: a read timeout alone begins anew with each byte.
 * Goes through no proxy, whatever the system's properties say. For one thread.
 */
final class DeadlineSocket extends Socket {
    private final long deadline;

    /** @param whole from now to the end of the answer */
    DeadlineSocket(Duration whole) {
        super(Proxy.NO_PROXY);
        deadline = System.nanoTime() + whole.toNanos();
    }

    /** Connects to exactly this address. */
    void dial(InetSocketAddress address) throws IOException {
        connect(address, left());
        setTcpNoDelay(true);
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new FilterInputStream(super.getInputStream()) {
            @Override
            public int read() throws IOException {
                setSoTimeout(left());
                return super.read();
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                setSoTimeout(left());
                return super.read(into, from, length);
            }
        };
    }

    private int left() throws SocketTimeoutException {
        long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
        if (left <= 0) {
            throw new SocketTimeoutException("the receiver took too long");
        }
        return (int) left;
    }
}
