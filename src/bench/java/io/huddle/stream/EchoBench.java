package io.huddle.stream;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;

/**
 * What {@code uEcho} is measured against: the platform's WebSocket with nothing of ours, upgraded in the same way. Sends
 * every binary message back.
 */
@WebServlet("/bench/echo")
public class EchoBench extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        ServerContainer container = (ServerContainer) getServletContext().getAttribute(ServerContainer.class.getName());
        try {
            container.upgradeHttpToWebSocket(
                    request,
                    response,
                    ServerEndpointConfig.Builder.create(Echo.class, "/bench/echo")
                            .build(),
                    Map.of());
        } catch (DeploymentException defect) {
            throw new ServletException(defect);
        }
    }

    /**
     * One connection. The next write starts when the one before is done: the client's next message comes before the platform
     * says so, and a second write under way would be lost without a word.
     */
    public static final class Echo extends Endpoint {
        private final Queue<ByteBuffer> waiting = new ArrayDeque<>(2);
        private boolean isSending;

        @Override
        public void onOpen(Session session, EndpointConfig config) {
            session.setMaxIdleTimeout(0);
            session.addMessageHandler(new MessageHandler.Whole<ByteBuffer>() {
                @Override
                public void onMessage(ByteBuffer message) {
                    synchronized (waiting) {
                        if (isSending) {
                            waiting.add(message);
                            return;
                        }
                        isSending = true;
                    }
                    send(session, message);
                }
            });
        }

        private void send(Session session, ByteBuffer message) {
            session.getAsyncRemote().sendBinary(message, sent -> {
                ByteBuffer next;
                synchronized (waiting) {
                    next = waiting.poll();
                    isSending = next != null;
                }
                if (next != null) {
                    send(session, next);
                }
            });
        }
    }
}
