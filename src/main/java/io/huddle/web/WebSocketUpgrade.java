package io.huddle.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The upgrade of a request to a WebSocket, for servlets that judge the request first. Stateless. */
public final class WebSocketUpgrade {
    private WebSocketUpgrade() {}

    /** True if the request asks for a WebSocket. */
    public static boolean isAsked(HttpServletRequest request) {
        String upgrade = request.getHeader("Upgrade");
        return upgrade != null && upgrade.toLowerCase(Locale.ROOT).contains("websocket");
    }

    /**
     * Answers the request with the upgrade, or with the platform's refusal of one whose other headers are wrong. Blocks as
     * writing an answer does.
     *
     * @param config whose configurator learns, by being asked for the endpoint, whether the connection comes about
     * @throws ServletException if the endpoint is none that can be deployed
     */
    public static void carryOut(HttpServletRequest request, HttpServletResponse response, ServerEndpointConfig config)
            throws IOException, ServletException {
        ServerContainer container =
                (ServerContainer) request.getServletContext().getAttribute(ServerContainer.class.getName());
        try {
            container.upgradeHttpToWebSocket(new WithoutSession(request), response, config, Map.of());
        } catch (DeploymentException defect) {
            throw new ServletException(defect);
        }
    }

    /** The platform would make an HTTP session, and a cookie, for each connection; nothing here needs one. */
    private static final class WithoutSession extends HttpServletRequestWrapper {
        WithoutSession(HttpServletRequest request) {
            super(request);
        }

        @Override
        @SuppressWarnings(
                "NullAway") // The platform accepts it, and the method's contract has no other word for "none".
        public @Nullable HttpSession getSession() {
            return null;
        }

        @Override
        public @Nullable HttpSession getSession(boolean create) {
            return null;
        }
    }
}
