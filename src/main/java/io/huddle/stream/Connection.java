package io.huddle.stream;

import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.web.Utf8;
import io.huddle.wire.ClientMessage;
import jakarta.websocket.CloseReason;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.SendHandler;
import jakarta.websocket.Session;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The WebSocket of one stream: puts fragments together, counted, and hands messages over. The platform calls it by one
 * thread at a time.
 */
final class Connection extends Endpoint {
    private static final Logger LOG = Logger.getLogger(Connection.class.getName());
    private static final int REASON_BYTES = 123;

    private final Streams streams;
    private final Handshake handshake;
    private final int most;
    private @Nullable ClientStream stream;
    private boolean text;
    private @Nullable Fragments fragments;

    Connection(Streams streams, Handshake handshake) {
        this.streams = streams;
        this.handshake = handshake;
        this.most = streams.limits().messageBytes();
    }

    @Override
    public void onOpen(Session session, EndpointConfig config) {
        Codec codec = Codec.of(session.getNegotiatedSubprotocol());
        text = codec == Codec.JSON;
        session.setMaxIdleTimeout(0);
        // Of one frame: somewhat more than a message may have, so that the close code is ours.
        session.setMaxBinaryMessageBufferSize(most + most / 2);
        session.setMaxTextMessageBufferSize(most + most / 2);
        ClientStream mine = streams.admit(
                handshake,
                codec,
                (frame, done) -> send(session, frame, done),
                (cause, reason) -> close(session, cause, reason));
        stream = mine;
        session.addMessageHandler(new MessageHandler.Partial<ByteBuffer>() {
            @Override
            public void onMessage(ByteBuffer part, boolean last) {
                take(mine, part, last);
            }
        });
        session.addMessageHandler(new MessageHandler.Partial<String>() {
            @Override
            public void onMessage(String part, boolean last) {
                take(mine, part, last);
            }
        });
    }

    @Override
    public void onClose(Session session, CloseReason reason) {
        ClientStream mine = stream;
        if (mine != null) {
            mine.lost();
        }
    }

    @Override
    public void onError(Session session, Throwable thrown) {
        LOG.log(Level.FINE, "a stream's connection failed", thrown);
        ClientStream mine = stream;
        if (mine != null) {
            mine.lost();
        }
    }

    private void take(ClientStream mine, ByteBuffer part, boolean last) {
        if (text) {
            mine.violate(Violation.malformed("this codec sends text frames"));
        } else if (isWhole(last)) {
            receive(mine, () -> Codec.decode(part), part.remaining());
        } else if (begun().isWithin(most, part.remaining())) {
            begun().add(part);
            gathered(mine, last, all -> Codec.decode(all.binary()));
        } else {
            tooLong(mine);
        }
    }

    private void take(ClientStream mine, String part, boolean last) {
        int size = Utf8.length(part);
        if (!text) {
            mine.violate(Violation.malformed("this codec sends binary frames"));
        } else if (isWhole(last)) {
            receive(mine, () -> Codec.decode(part), size);
        } else if (begun().isWithin(most, size)) {
            begun().add(part, size);
            gathered(mine, last, all -> Codec.decode(all.text()));
        } else {
            tooLong(mine);
        }
    }

    /** True for a message in one piece, as nearly all are: it is read where it lies. */
    private boolean isWhole(boolean last) {
        return last && fragments == null;
    }

    private Fragments begun() {
        Fragments open = fragments;
        if (open == null) {
            open = new Fragments();
            fragments = open;
        }
        return open;
    }

    private void gathered(ClientStream mine, boolean last, Gathering decoding) {
        if (last) {
            Fragments all = begun();
            fragments = null;
            receive(mine, () -> decoding.decode(all), all.bytes());
        }
    }

    private void tooLong(ClientStream mine) {
        fragments = null;
        mine.violate(Violation.over("message-bytes", "a message of more than " + most + " bytes"));
    }

    /** Decodes a message. */
    @FunctionalInterface
    private interface Decoding {
        ClientMessage decode() throws InvalidProtocolBufferException;
    }

    /** Decodes what was put together. */
    @FunctionalInterface
    private interface Gathering {
        ClientMessage decode(Fragments all) throws InvalidProtocolBufferException;
    }

    private void receive(ClientStream mine, Decoding decoding, int size) {
        if (size > most) {
            tooLong(mine);
            return;
        }
        ClientMessage message;
        try {
            message = decoding.decode();
        } catch (InvalidProtocolBufferException | RuntimeException unreadable) {
            LOG.log(Level.FINE, "a message that cannot be read", unreadable);
            mine.violate(Violation.malformed("a message that cannot be read"));
            return;
        }
        mine.receive(message, size);
    }

    private static void send(Session session, Frame frame, Consumer<@Nullable Throwable> done) {
        SendHandler handler = result -> done.accept(result.isOK() ? null : result.getException());
        ByteBuffer binary = frame.binary();
        if (binary != null) {
            session.getAsyncRemote().sendBinary(binary, handler);
        } else {
            session.getAsyncRemote().sendText(String.valueOf(frame.text()), handler);
        }
    }

    private static void close(Session session, CloseCause cause, String reason) {
        try {
            session.close(new CloseReason(CloseReason.CloseCodes.getCloseCode(cause.code()), fit(reason)));
        } catch (IOException | RuntimeException gone) {
            LOG.log(Level.FINE, "a stream's connection was gone before it was closed", gone);
        }
    }

    /** A close frame holds at most 123 bytes of reason. */
    private static String fit(String reason) {
        String fitting = reason;
        while (Utf8.length(fitting) > REASON_BYTES) {
            fitting = fitting.substring(0, fitting.length() - 1);
        }
        return fitting;
    }
}
