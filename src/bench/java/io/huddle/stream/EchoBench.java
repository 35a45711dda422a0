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
import java.util.Map;

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

    /** One connection. */
    public static final class Echo extends Endpoint {
        @Override
        public void onOpen(Session session, EndpointConfig config) {
            session.setMaxIdleTimeout(0);
            session.addMessageHandler(new MessageHandler.Whole<ByteBuffer>() {
                @Override
                public void onMessage(ByteBuffer message) {
                    session.getAsyncRemote().sendBinary(message, sent -> {});
                }
            });
        }
    }
}
