package io.huddle.link;

import jakarta.websocket.CloseReason;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.SendHandler;
import jakarta.websocket.Session;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The WebSocket of one link, at either end of it. The platform calls it by one thread at a time. */
final class LinkSocket extends Endpoint {
    private static final Logger LOG = Logger.getLogger(LinkSocket.class.getName());
    /** Above what a frame may have, so that it is ours to refuse what is too large. */
    private static final int SPARE_BYTES = 524_288;

    private final int mostBytes;
    private final Executor executor;
    private final Opening opening;
    private volatile @Nullable Link link;

    /** Makes the link of a socket that has opened; null if it is not to be one, and then the socket is closed. */
    @FunctionalInterface
    interface Opening {
        @Nullable
        Link open(Writer.Wire wire, Link.Closer closer, Consumer<Link> ready);
    }

    LinkSocket(int frameBytes, Executor executor, Opening opening) {
        this.mostBytes = frameBytes + SPARE_BYTES;
        this.executor = executor;
        this.opening = opening;
    }

    @Override
    public void onOpen(Session session, EndpointConfig config) {
        session.setMaxIdleTimeout(0);
        session.setMaxBinaryMessageBufferSize(mostBytes);
        Link opened = opening.open(
                (message, done) -> send(session, message, done),
                (code, reason) -> close(session, code, reason),
                ready -> listen(session, ready));
        if (opened == null) {
            close(session, CloseReason.CloseCodes.VIOLATED_POLICY.getCode(), "");
        }
    }

    /** Before the link is known to anybody: what arrives must find its reader. */
    private void listen(Session session, Link mine) {
        link = mine;
        session.addMessageHandler(new MessageHandler.Partial<ByteBuffer>() {
            @Override
            public void onMessage(ByteBuffer part, boolean last) {
                mine.receive(part);
            }
        });
    }

    @Override
    public void onClose(Session session, CloseReason reason) {
        lost();
    }

    @Override
    public void onError(Session session, Throwable thrown) {
        LOG.log(Level.FINE, "a link's connection failed", thrown);
        lost();
    }

    private void lost() {
        Link mine = link;
        if (mine != null) {
            mine.lost();
        }
    }

    private static void send(Session session, ByteBuffer message, Consumer<@Nullable Throwable> done) {
        SendHandler handler = result -> done.accept(result.isOK() ? null : result.getException());
        session.getAsyncRemote().sendBinary(message, handler);
    }

    /** The platform's close waits for seconds for a peer that does not read; never here. */
    private void close(Session session, int code, String reason) {
        Runnable closing = () -> {
            try {
                session.close(new CloseReason(CloseReason.CloseCodes.getCloseCode(code), reason));
            } catch (IOException | RuntimeException gone) {
                LOG.log(Level.FINE, "a link's connection was gone before it was closed", gone);
            }
        };
        try {
            executor.execute(closing);
        } catch (RejectedExecutionException | IllegalStateException stopping) {
            closing.run();
        }
    }
}
