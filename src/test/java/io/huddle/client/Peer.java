package io.huddle.client;

import io.huddle.harness.Awaiting;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.PingPong;
import io.huddle.wire.ServerMessage;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The least of a WebSocket server that does what a test tells it, right or wrong: the JDK has none. It upgrades every
 * connection, or refuses the next with a status, and leaves the rest to the test. For any thread.
 */
final class Peer implements AutoCloseable {
    private static final int SMALL = 64 << 10;
    private static final String ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool(Peer::daemon);
    private final BlockingQueue<Stream> arrivals = new LinkedBlockingQueue<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final ConcurrentLinkedQueue<Integer> refusals = new ConcurrentLinkedQueue<>();

    private Peer(ServerSocket listener) {
        this.listener = listener;
    }

    static Peer listening() {
        try {
            ServerSocket listener = new ServerSocket();
            // Small and fixed, so that a peer that stops reading is felt soon.
            listener.setReceiveBufferSize(SMALL);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Peer peer = new Peer(listener);
            peer.threads.execute(peer::acceptAll);
            return peer;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    URI uri() {
        return URI.create("ws://localhost:" + listener.getLocalPort() + "/stream");
    }

    /** The next upgrade is refused with this status. */
    Peer refuse(int status) {
        refusals.add(status);
        return this;
    }

    /** Waits for the next connection and leaves it before its activation. */
    Stream arrival() {
        try {
            Stream stream = arrivals.poll(Awaiting.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (stream == null) {
                throw new AssertionError("no client came");
            }
            return stream;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Waits for the next connection and activates it: two pings. */
    Stream activated() {
        Stream stream = arrival();
        stream.ping();
        stream.ping();
        return stream;
    }

    boolean hasArrival() {
        return !arrivals.isEmpty();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException alreadyGone) {
            // It is closed all the same.
        }
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = listener.accept();
                sockets.add(socket);
                threads.execute(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            List<String> head = head(in);
            OutputStream out = socket.getOutputStream();
            Integer refusal = refusals.poll();
            if (refusal != null) {
                out.write(ascii("HTTP/1.1 " + refusal + " No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
                socket.close();
                return;
            }
            out.write(ascii("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Protocol: huddle.protobuf.v1\r\nSec-WebSocket-Accept: "
                    + accept(header(head, "sec-websocket-key")) + "\r\n\r\n"));
            Stream stream = new Stream(socket, query(head.get(0).split(" ", -1)[1]));
            arrivals.add(stream);
            stream.readAll(new DataInputStream(in));
        } catch (IOException broken) {
            // The client is gone, or the test cut the connection.
        }
    }

    private static List<String> head(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.length() < 4 || !text.substring(text.length() - 4).equals("\r\n\r\n")) {
            int read = in.read();
            if (read < 0) {
                throw new IOException("ended in the head");
            }
            text.append((char) read);
        }
        return List.of(text.toString().split("\r\n", -1));
    }

    private static String header(List<String> head, String name) {
        return head.stream()
                .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, String> query(String target) {
        Map<String, String> query = new LinkedHashMap<>();
        for (String pair : target.substring(target.indexOf('?') + 1).split("&", -1)) {
            int equals = pair.indexOf('=');
            query.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
        }
        return query;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    // The WebSocket's handshake is made with it; nothing is secret here.
    @SuppressWarnings("InsecureCryptoUsage")
    private static String accept(String key) {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-1").digest(ascii(key + ACCEPT)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "peer");
        thread.setDaemon(true);
        return thread;
    }

    /** One connection of a client. */
    static final class Stream {
        private static final int BINARY = 2;
        private static final int CLOSE = 8;
        private static final int FINAL = 0x80;

        private final Socket socket;
        private final Map<String, String> query;
        private final List<ClientMessage> received = new CopyOnWriteArrayList<>();
        private volatile int closeCode;
        private volatile boolean gone;
        private volatile boolean deaf;

        private Stream(Socket socket, Map<String, String> query) {
            this.socket = socket;
            this.query = query;
        }

        Map<String, String> query() {
            return query;
        }

        void ping() {
            send(ServerMessage.newBuilder().setPingPong(PingPong.getDefaultInstance()));
        }

        void send(ServerMessage.Builder message) {
            frame(FINAL | BINARY, message.build().toByteArray());
        }

        void send(ByteStreamOperation.Builder operation) {
            send(ServerMessage.newBuilder().setByteStreamOperation(operation));
        }

        /** Binary bytes, whatever they are, in fragments of this size. */
        void sendFragments(byte[] bytes, int size) {
            for (int from = 0; from < bytes.length; from += size) {
                int to = Math.min(bytes.length, from + size);
                int opcode = from == 0 ? BINARY : 0;
                frame(to == bytes.length ? FINAL | opcode : opcode, java.util.Arrays.copyOfRange(bytes, from, to));
            }
        }

        void close(int code, String reason) {
            byte[] text = reason.getBytes(StandardCharsets.UTF_8);
            frame(
                    FINAL | CLOSE,
                    ByteBuffer.allocate(2 + text.length)
                            .putShort((short) code)
                            .put(text)
                            .array());
        }

        /** Breaks the connection without a word. */
        void cut() {
            try {
                socket.setSoLinger(true, 0);
                socket.close();
            } catch (IOException alreadyGone) {
                // That is what was wanted.
            }
        }

        /** Reads nothing more from the socket, as a peer does that cannot keep up. */
        void stopReading() {
            deaf = true;
        }

        List<ClientMessage> received() {
            return received;
        }

        /** Waits for a message; the first that fits of all that came. */
        ClientMessage await(String what, Predicate<ClientMessage> wanted) {
            return Awaiting.value(
                            Awaiting.PATIENCE,
                            what,
                            () -> received.stream().filter(wanted).findFirst(),
                            java.util.Optional::isPresent)
                    .orElseThrow();
        }

        /** Waits for the client's close frame. */
        int awaitClose() {
            Awaiting.until("the client's close frame", () -> closeCode != 0);
            return closeCode;
        }

        boolean isGone() {
            return gone;
        }

        void awaitGone(Duration patience) {
            Awaiting.until(patience, "the end of the connection", () -> gone);
        }

        private synchronized void frame(int first, byte[] payload) {
            try {
                ByteArrayOutputStream frame = new ByteArrayOutputStream();
                frame.write(first);
                if (payload.length < 126) {
                    frame.write(payload.length);
                } else if (payload.length < 1 << 16) {
                    frame.write(126);
                    frame.writeBytes(ByteBuffer.allocate(2)
                            .putShort((short) payload.length)
                            .array());
                } else {
                    frame.write(127);
                    frame.writeBytes(
                            ByteBuffer.allocate(8).putLong(payload.length).array());
                }
                frame.writeBytes(payload);
                socket.getOutputStream().write(frame.toByteArray());
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }

        private void readAll(DataInputStream in) throws IOException {
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            try {
                while (true) {
                    Awaiting.until(Duration.ofMinutes(1), "reading again", () -> !deaf);
                    int first = in.readUnsignedByte();
                    byte[] payload = payload(in);
                    if ((first & 0x0F) == CLOSE) {
                        closeCode = payload.length < 2
                                ? 1005
                                : ByteBuffer.wrap(payload).getShort();
                        return;
                    }
                    message.writeBytes(payload);
                    if ((first & FINAL) != 0) {
                        received.add(ClientMessage.parseFrom(message.toByteArray()));
                        message.reset();
                    }
                }
            } finally {
                gone = true;
            }
        }

        private static byte[] payload(DataInputStream in) throws IOException {
            int length = in.readUnsignedByte() & 0x7F;
            long size = length == 126 ? in.readUnsignedShort() : length == 127 ? in.readLong() : length;
            byte[] mask = in.readNBytes(4);
            byte[] payload = in.readNBytes(Math.toIntExact(size));
            for (int i = 0; i < payload.length; i++) {
                payload[i] ^= mask[i % 4];
            }
            return payload;
        }
    }
}
