package io.huddle.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One WebSocket connection of binary frames, none of them in fragments. */
final class WebSocketLine extends Line {
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final String END = "\r\n\r\n";

    private final String target;
    private final Runnable opened;
    private boolean isOpen;
    private boolean mayEnd;

    WebSocketLine(Loop loop, int port, int socketBytes, String target, Runnable opened) throws IOException {
        super(loop, port, socketBytes);
        this.target = target;
        this.opened = opened;
    }

    /**
     * A binary frame. Its mask is zero, which leaves the bytes as they are: the server's work is the same as with any other,
     * the client's is saved.
     */
    static ByteBuffer frame(byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(payload.length + 14);
        frame.put((byte) (0x80 | BINARY));
        if (payload.length < 126) {
            frame.put((byte) (0x80 | payload.length));
        } else if (payload.length < 65_536) {
            frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
        } else {
            frame.put((byte) (0x80 | 127)).putLong(payload.length);
        }
        return frame.putInt(0).put(payload).flip();
    }

    /** From now on the server may close this line, as it does with one that is taken over. */
    void mayEnd() {
        mayEnd = true;
    }

    @Override
    void ended() throws IOException {
        if (!mayEnd) {
            super.ended();
        }
        close();
    }

    @Override
    void connected() {
        String request =
                "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
        write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
    }

    @Override
    boolean take(ByteBuffer read) {
        return isOpen ? takeFrame(read) : takeAnswer(read);
    }

    private boolean takeAnswer(ByteBuffer read) {
        String text = StandardCharsets.ISO_8859_1.decode(read.duplicate()).toString();
        int end = text.indexOf(END);
        if (end < 0) {
            return false;
        }
        if (!text.startsWith("HTTP/1.1 101")) {
            throw new IllegalStateException("the upgrade was refused: " + text);
        }
        read.position(read.position() + end + END.length());
        isOpen = true;
        opened.run();
        return true;
    }

    private boolean takeFrame(ByteBuffer read) {
        ByteBuffer frame = read.duplicate();
        if (frame.remaining() < 2) {
            return false;
        }
        int first = frame.get();
        int length = frame.get();
        if (length == 126) {
            length = frame.remaining() < 2 ? Integer.MAX_VALUE : Short.toUnsignedInt(frame.getShort());
        } else if (length == 127) {
            length = frame.remaining() < 8 ? Integer.MAX_VALUE : Math.toIntExact(frame.getLong());
        }
        if (frame.remaining() < length) {
            return false;
        }
        ByteBuffer payload = frame.slice(frame.position(), length);
        read.position(frame.position() + length);
        if ((first & 0xf) == CLOSE && mayEnd) {
            close();
            return true;
        }
        if ((first & 0xf) == CLOSE) {
            int code = payload.remaining() < 2 ? 0 : Short.toUnsignedInt(payload.getShort());
            throw new IllegalStateException(
                    "the server has closed a stream with " + code + " " + StandardCharsets.UTF_8.decode(payload));
        }
        if ((first & 0xff) != (0x80 | BINARY)) {
            throw new IllegalStateException("a frame of another kind: " + (first & 0xff));
        }
        deliver(payload);
        return true;
    }
}
