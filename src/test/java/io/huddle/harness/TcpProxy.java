package io.huddle.harness;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A loopback network between a node and what it depends on, which can fail as networks do: refuse and reset, swallow
 * everything while the connections seem alive, or be slow. For any thread.
 */
public final class TcpProxy implements AutoCloseable {
    /** Client is whoever connected to the proxy. */
    public enum Direction {
        TO_SERVER,
        TO_CLIENT
    }

    private static final int CHUNK = 16 * 1024;
    private static final int BACKLOG = 128;

    private final InetSocketAddress server;
    private final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free());
    private final ExecutorService threads = Executors.newCachedThreadPool(TcpProxy::daemon);

    /** Guards all below; the condition says that any of it changed. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final Set<Link> links = new HashSet<>();
    private final Set<Direction> stalled = EnumSet.noneOf(Direction.class);
    private Duration delay = Duration.ZERO;
    private @Nullable ServerSocket listener;
    private @Nullable Future<?> accepting;

    private TcpProxy(InetSocketAddress server) {
        this.server = server;
    }

    /** A proxy before a loopback port, passing everything until told otherwise. */
    public static TcpProxy to(int port) {
        TcpProxy proxy = new TcpProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        proxy.mend();
        return proxy;
    }

    /** Where clients connect; it stays the same over {@link #cut} and {@link #mend}. */
    public int port() {
        return address.getPort();
    }

    /** How many connections are open through the proxy. */
    public int connections() {
        return locked(links::size);
    }

    /** Resets every connection and refuses new ones, until mended. */
    public void cut() {
        locked(() -> {
            ServerSocket open = listener;
            listener = null;
            closeQuietly(open);
            awaitAcceptor();
            Set.copyOf(links).forEach(Link::reset);
            return links.size();
        });
    }

    /** Accepts connections but passes nothing either way, not even their end, until mended. */
    public void stall() {
        stall(Direction.TO_SERVER);
        stall(Direction.TO_CLIENT);
    }

    /** As {@link #stall()}, one way only: requests arrive and their answers do not, or the other way round. */
    public void stall(Direction direction) {
        locked(() -> stalled.add(direction));
    }

    /** Holds every chunk for so long, each way, until mended. */
    public void delay(Duration each) {
        locked(() -> delay = each);
    }

    /** Passes everything again; what a stall held back arrives now, late. */
    public void mend() {
        locked(() -> {
            stalled.clear();
            delay = Duration.ZERO;
            if (listener == null) {
                listener = listen();
            }
            changed.signalAll();
            return listener;
        });
    }

    @Override
    public void close() {
        cut();
        threads.shutdownNow();
    }

    private ServerSocket listen() {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(address, BACKLOG);
            accepting = threads.submit(() -> acceptAll(socket));
            return socket;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A listener that is closed under a waiting accept goes on accepting until that call has returned. */
    private void awaitAcceptor() {
        try {
            Future<?> ending = accepting;
            if (ending != null) {
                ending.get(10, TimeUnit.SECONDS);
            }
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException("the proxy still accepts", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void acceptAll(ServerSocket from) {
        try {
            while (true) {
                Socket client = from.accept();
                threads.execute(() -> connect(from, client));
            }
        } catch (IOException closed) {
            // Cut: the next mend listens anew.
        }
    }

    private void connect(ServerSocket from, Socket client) {
        Link link = new Link(client, new Socket());
        try {
            link.upstream.connect(server);
        } catch (IOException serverIsDown) {
            link.reset();
            return;
        }
        locked(() -> {
            // Accepted just before a cut: such a connection must not survive it.
            if (listener != from) {
                link.reset();
                return false;
            }
            threads.execute(() -> link.pump(client, link.upstream, Direction.TO_SERVER));
            threads.execute(() -> link.pump(link.upstream, client, Direction.TO_CLIENT));
            return links.add(link);
        });
    }

    private void awaitPassage(Link link, Direction direction) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = delay.toNanos();
            while (!link.closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            while (!link.closed && stalled.contains(direction)) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    private static void closeQuietly(@Nullable Closeable closeable) {
        try {
            if (closeable != null) {
                closeable.close();
            }
        } catch (IOException alreadyBroken) {
            // It is closed all the same.
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "tcp-proxy");
        thread.setDaemon(true);
        return thread;
    }

    /** One connection: the client's half and the server's. */
    private final class Link {
        final Socket client;
        final Socket upstream;
        private int ended;
        private boolean closed;

        Link(Socket client, Socket upstream) {
            this.client = client;
            this.upstream = upstream;
        }

        void pump(Socket from, Socket to, Direction direction) {
            byte[] chunk = new byte[CHUNK];
            try {
                int read;
                do {
                    read = from.getInputStream().read(chunk);
                    awaitPassage(this, direction);
                    if (read > 0) {
                        to.getOutputStream().write(chunk, 0, read);
                    }
                } while (read >= 0);
                to.shutdownOutput();
                end();
            } catch (IOException broken) {
                reset();
            } catch (InterruptedException proxyClosed) {
                Thread.currentThread().interrupt();
                reset();
            }
        }

        /** One direction came to its orderly end; with the second the connection is over. */
        private void end() {
            locked(() -> {
                ended++;
                if (ended == 2) {
                    forget();
                }
                return ended;
            });
        }

        /** Ends both halves at once, so that the peers see a reset and not an orderly end. */
        void reset() {
            locked(() -> {
                abort(client);
                abort(upstream);
                forget();
                return closed;
            });
        }

        private void forget() {
            closed = true;
            closeQuietly(client);
            closeQuietly(upstream);
            links.remove(this);
            changed.signalAll();
        }

        private void abort(Socket socket) {
            try {
                if (!socket.isClosed()) {
                    socket.setSoLinger(true, 0);
                }
            } catch (IOException alreadyBroken) {
                // Closing it is all that is left to do.
            }
        }
    }
}
