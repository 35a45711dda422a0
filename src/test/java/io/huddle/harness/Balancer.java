package io.huddle.harness;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One address before several nodes, as in front of any deployment: a connection goes to the favourite, or where that takes
 * none to one of the others in turn, or to the one with the fewest. For any thread.
 */
public final class Balancer implements AutoCloseable {
    private static final int CONNECT_MS = 1_000;

    private final List<Node> nodes;
    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** Those of clients that have reached a node. */
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

    private final AtomicInteger turn = new AtomicInteger();
    private final Map<Node, AtomicInteger> connections = new ConcurrentHashMap<>();
    private volatile @Nullable Node favourite;
    private volatile Predicate<Node> open = node -> true;
    private volatile boolean isEven;

    private Balancer(List<Node> nodes) throws IOException {
        this.nodes = nodes;
        this.listener = new ServerSocket();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free()), 256);
        threads.execute(this::acceptAll);
    }

    public static Balancer of(List<Node> nodes) {
        try {
            return new Balancer(nodes);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Where new connections go from now on if it takes them; null for no preference. */
    public void favour(@Nullable Node node) {
        favourite = node;
    }

    /** From now on new connections go to the node that has the fewest, and to none that is not open. */
    public void even(Predicate<Node> isOpen) {
        open = isOpen;
        isEven = true;
    }

    /** How many connections go through it to this node. */
    public int connections(Node node) {
        return count(node).get();
    }

    /**
     * Breaks some of the connections, whichever they are, as a network does.
     *
     * @return how many were broken
     */
    public int cut(int most) {
        List<Socket> some = clients.stream().limit(most).toList();
        some.forEach(Balancer::closeQuietly);
        return some.size();
    }

    private AtomicInteger count(Node node) {
        return connections.computeIfAbsent(node, key -> new AtomicInteger());
    }

    /** An address through it. */
    public URI uri(String scheme, String path) {
        return URI.create(scheme + "://localhost:" + listener.getLocalPort() + path);
    }

    @Override
    public void close() {
        closeQuietly(listener);
        sockets.forEach(Balancer::closeQuietly);
        threads.shutdownNow();
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                sockets.add(client);
                threads.execute(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        for (Node node : order()) {
            Socket server = new Socket();
            try {
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), node.port()), CONNECT_MS);
            } catch (IOException refused) {
                closeQuietly(server);
                continue;
            }
            sockets.add(server);
            clients.add(client);
            count(node).incrementAndGet();
            try {
                threads.execute(() -> pump(server, client));
                pump(client, server);
            } finally {
                count(node).decrementAndGet();
                clients.remove(client);
            }
            return;
        }
        closeQuietly(client);
    }

    private List<Node> order() {
        List<Node> order = new ArrayList<>();
        Node first = favourite;
        if (first != null) {
            order.add(first);
        }
        int start = turn.getAndIncrement();
        for (int i = 0; i < nodes.size(); i++) {
            order.add(nodes.get(Math.floorMod(start + i, nodes.size())));
        }
        if (isEven) {
            order.removeIf(open.negate());
            order.sort(Comparator.comparingInt(this::connections));
        }
        return order;
    }

    private void pump(Socket from, Socket to) {
        try {
            from.setTcpNoDelay(true);
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException ended) {
            // Either side went away: so does the other, below.
        } finally {
            closeQuietly(from);
            closeQuietly(to);
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private static void closeQuietly(Closeable one) {
        try {
            one.close();
        } catch (IOException already) {
            // Closed is all it should be.
        }
    }
}
