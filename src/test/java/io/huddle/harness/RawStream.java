package io.huddle.harness;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A WebSocket written byte by byte, for what no decent client does: frames in any order and of any announced length, a
 * socket that is not read, an end without a word. For one thread at a time.
 */
public final class RawStream implements AutoCloseable {
    public static final int CONTINUATION = 0;
    public static final int TEXT = 1;
    public static final int BINARY = 2;
    public static final int CLOSE = 8;
    public static final int PING = 9;
    public static final int PONG = 10;

    /** What a server with closed eyes would answer to a connection that broke without a close frame. */
    public static final int BROKEN = 1006;

    private static final int PATIENCE_MS = 20_000;
    private static final int MASKED = 0x80;
    private static final byte[] MASK = {0x12, 0x34, 0x56, 0x78};

    /** One frame of the server. */
    public record Frame(int opcode, boolean last, ByteString payload) {
        public String text() {
            return payload.toStringUtf8();
        }

        /** The code of a close frame. */
        public int code() {
            return payload.size() < 2 ? 1005 : payload.asReadOnlyByteBuffer().getShort() & 0xffff;
        }

        /** The reason of a close frame. */
        public String reason() {
            return payload.size() < 2 ? "" : payload.substring(2).toStringUtf8();
        }
    }

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    private RawStream(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 512));
        this.out = socket.getOutputStream();
    }

    /** A TCP connection to a port of this machine, nothing sent yet. */
    public static RawStream dial(int port) {
        return dial(port, 0);
    }

    /** @param receiveBuffer how many bytes the socket takes unread, or 0 for what is usual */
    public static RawStream dial(int port, int receiveBuffer) {
        try {
            Socket socket = new Socket();
            if (receiveBuffer > 0) {
                socket.setReceiveBufferSize(receiveBuffer);
            }
            socket.setSoTimeout(PATIENCE_MS);
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MS);
            return new RawStream(socket);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The lines of an upgrade as they have to be, for a query and a subprotocol, to be changed by the caller. */
    public static List<String> upgrade(int port, String query, String subprotocol) {
        List<String> lines = new ArrayList<>();
        lines.add("GET /stream?" + query + " HTTP/1.1");
        lines.add("Host: localhost:" + port);
        lines.add("Upgrade: websocket");
        lines.add("Connection: Upgrade");
        lines.add("Sec-WebSocket-Version: 13");
        lines.add("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
        lines.add("Sec-WebSocket-Protocol: " + subprotocol);
        return lines;
    }

    /** Sends a head without waiting for its answer. */
    public void request(List<String> lines) {
        write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The status of the answer, whose head is read and whose body is not; 0 if there was none. */
    public int status() {
        try {
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                int next = in.read();
                if (next < 0) {
                    return 0;
                }
                head.write(next);
            }
            return Integer.parseInt(head.toString(StandardCharsets.ISO_8859_1).substring(9, 12));
        } catch (java.net.SocketException reset) {
            return 0;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The whole answer to a request that was refused: head and body. */
    public String answer() {
        try {
            StringBuilder all = new StringBuilder();
            while (all.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    return all.toString();
                }
                all.append((char) next);
            }
            java.util.regex.Matcher length = java.util.regex.Pattern.compile("(?i)content-length: *([0-9]+)")
                    .matcher(all);
            if (length.find()) {
                all.append(new String(in.readNBytes(Integer.parseInt(length.group(1))), StandardCharsets.UTF_8));
            }
            return all.toString();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Upgrades and reads both pings of the server: the client is connected. */
    public static RawStream connected(int port, String query, String subprotocol, int receiveBuffer) {
        RawStream stream = dial(port, receiveBuffer);
        stream.request(upgrade(port, query, subprotocol));
        int status = stream.status();
        if (status != 101) {
            throw new AssertionError("the upgrade was answered with " + status);
        }
        for (int ping = 0; ping < 2; ping++) {
            Frame frame = stream.read();
            if (frame.opcode() == CLOSE) {
                throw new AssertionError("closed while it connects: " + frame.code() + " " + frame.reason());
            }
        }
        return stream;
    }

    public void text(String message) {
        frame(TEXT, true, message.getBytes(StandardCharsets.UTF_8));
    }

    public void binary(byte[] message) {
        frame(BINARY, true, message);
    }

    public void frame(int opcode, boolean last, byte[] payload) {
        byte[] masked = payload.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= MASK[i % MASK.length];
        }
        ByteBuffer frame = ByteBuffer.allocate(14 + masked.length);
        head(frame, opcode, last, masked.length);
        frame.put(MASK).put(masked);
        write(java.util.Arrays.copyOf(frame.array(), frame.position()));
    }

    /** The head of a frame that announces so many bytes, of which the caller sends as many as it likes. */
    public void announce(int opcode, long length) {
        ByteBuffer frame = ByteBuffer.allocate(14);
        head(frame, opcode, true, length);
        frame.put(MASK);
        write(java.util.Arrays.copyOf(frame.array(), frame.position()));
    }

    private static void head(ByteBuffer frame, int opcode, boolean last, long length) {
        frame.put((byte) (opcode | (last ? 0x80 : 0)));
        if (length < 126) {
            frame.put((byte) (MASKED | (int) length));
        } else if (length < 65_536) {
            frame.put((byte) (MASKED | 126)).putShort((short) length);
        } else {
            frame.put((byte) (MASKED | 127)).putLong(length);
        }
    }

    /** Any bytes. What the server does not take because it has hung up is lost, as it is for any client. */
    public void write(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (IOException hungUp) {
            // What the server said before is still to be read.
        }
    }

    /** The next frame of the server; a broken connection reads as a close frame of 1006. */
    public Frame read() {
        try {
            int first = in.readUnsignedByte();
            int second = in.readUnsignedByte();
            long length = second & 0x7f;
            if (length == 126) {
                length = in.readUnsignedShort();
            } else if (length == 127) {
                length = in.readLong();
            }
            return new Frame(first & 0x0f, (first & 0x80) != 0, ByteString.copyFrom(in.readNBytes((int) length)));
        } catch (EOFException | java.net.SocketException ended) {
            return new Frame(CLOSE, true, ByteString.copyFrom(new byte[] {BROKEN >> 8, (byte) (BROKEN & 0xff)}));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Reads on until the server closes. */
    public Frame awaitClose() {
        Frame frame = read();
        while (frame.opcode() != CLOSE) {
            frame = read();
        }
        return frame;
    }

    /** Ends the connection with a reset, as a process that dies with unread data does. */
    public void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException gone) {
            // It is over all the same.
        }
    }

    @Override
    public void close() {
        reset();
    }
}
