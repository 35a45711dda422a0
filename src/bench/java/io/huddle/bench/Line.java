package io.huddle.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One TCP connection: what waits to be written, what was read and is not a whole message yet, who waits for an answer. */
abstract class Line {
    private final SocketChannel channel;
    private final SelectionKey key;
    private final Queue<ByteBuffer> out = new ArrayDeque<>(2);
    private ByteBuffer in = ByteBuffer.allocate(512);
    private Consumer<ByteBuffer> taker = answer -> {
        throw new IllegalStateException("nobody asked");
    };

    /** @param socketBytes the socket's buffers, each; 0 for the system's own, which grow */
    Line(Loop loop, int port, int socketBytes) throws IOException {
        channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        if (socketBytes > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, socketBytes);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, socketBytes);
        }
        key = channel.register(loop.selector(), SelectionKey.OP_CONNECT, this);
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /** The socket is connected. */
    abstract void connected();

    /** The server has ended it: no benchmark expects that but one that takes clients over. */
    void ended() throws IOException {
        throw new IOException("the server has closed a connection");
    }

    /** Takes one message out of what was read, if there is a whole one. */
    abstract boolean take(ByteBuffer read);

    /** Sends, and from now on gives what comes to this taker. */
    void ask(ByteBuffer bytes, Consumer<ByteBuffer> answer) {
        taker = answer;
        write(bytes);
    }

    void onMessage(Consumer<ByteBuffer> each) {
        taker = each;
    }

    void deliver(ByteBuffer message) {
        taker.accept(message);
    }

    /** True if the socket has taken all that was written. */
    boolean isFlushed() {
        return out.isEmpty();
    }

    void write(ByteBuffer bytes) {
        out.add(bytes);
        if (out.size() == 1 && channel.isConnected()) {
            flush();
        }
    }

    void close() {
        try {
            channel.close();
        } catch (IOException gone) {
            throw new IllegalStateException(gone);
        }
    }

    void ready() {
        try {
            if (key.isConnectable()) {
                channel.finishConnect();
                key.interestOps(SelectionKey.OP_READ);
                connected();
            }
            if (key.isValid() && key.isWritable()) {
                flush();
            }
            if (key.isValid() && key.isReadable()) {
                read();
            }
        } catch (IOException failed) {
            throw new IllegalStateException("a connection failed", failed);
        }
    }

    private void flush() {
        try {
            @Nullable ByteBuffer next = out.peek();
            while (next != null) {
                channel.write(next);
                if (next.hasRemaining()) {
                    key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                    return;
                }
                out.remove();
                next = out.peek();
            }
            key.interestOps(SelectionKey.OP_READ);
        } catch (IOException failed) {
            throw new IllegalStateException("a connection failed", failed);
        }
    }

    private void read() throws IOException {
        int count = channel.read(in);
        if (count < 0) {
            ended();
            return;
        }
        in.flip();
        while (channel.isOpen() && take(in)) {
            // Each turn takes one message.
        }
        in.compact();
        if (!in.hasRemaining()) {
            in = ByteBuffer.allocate(2 * in.capacity()).put(in.flip());
        }
    }
}
