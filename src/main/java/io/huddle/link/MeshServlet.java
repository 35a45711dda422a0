package io.huddle.link;

import io.huddle.web.Problem;
import io.huddle.web.Refusal;
import io.huddle.web.WebSocketUpgrade;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.websocket.HandshakeResponse;
import jakarta.websocket.server.HandshakeRequest;
import jakarta.websocket.server.ServerEndpointConfig;
import java.io.IOException;
import java.util.List;

/**
 * The upgrade to a link. Callers: other nodes of the group, by proof. 403 not proven, 503 no room; nothing tells which part
 * was wrong. 404 on a node that has no links.
 */
@WebServlet(urlPatterns = MeshAddress.PATH)
public class MeshServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Inject
    private transient Links links;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        // A browser never opens a link.
        boolean isNode = WebSocketUpgrade.isAsked(request) && request.getHeader("Origin") == null;
        Gate.Judgement judgement = links.isEnabled() && isNode ? links.judge(request.getHeader(Dialer.HEADER)) : null;
        if (!links.isEnabled()) {
            Problem.write(response, Refusal.NOT_FOUND, "there is nothing here");
        } else if (judgement == null) {
            Problem.write(response, Refusal.FORBIDDEN, "the handshake was refused");
        } else if (judgement.ends() == null) {
            Refusal refusal = judgement.status() == Gate.FORBIDDEN ? Refusal.FORBIDDEN : Refusal.UNAVAILABLE;
            Problem.write(response, refusal, "the handshake was refused");
        } else {
            enter(request, response, judgement.ends(), judgement.welcome());
        }
    }

    private void enter(HttpServletRequest request, HttpServletResponse response, Link.Ends ends, String welcome)
            throws IOException, ServletException {
        Entry entry = new Entry(ends, welcome);
        ServerEndpointConfig config = ServerEndpointConfig.Builder.create(LinkSocket.class, MeshAddress.PATH)
                .configurator(entry)
                .build();
        try {
            WebSocketUpgrade.carryOut(request, response, config);
        } finally {
            if (!entry.taken) {
                links.abandon(ends);
            }
        }
    }

    /** One upgrade: its answer's proof, and the end that it is for. */
    private final class Entry extends ServerEndpointConfig.Configurator {
        private final Link.Ends ends;
        private final String welcome;
        private volatile boolean taken;

        Entry(Link.Ends ends, String welcome) {
            this.ends = ends;
            this.welcome = welcome;
        }

        @Override
        public void modifyHandshake(ServerEndpointConfig config, HandshakeRequest request, HandshakeResponse response) {
            response.getHeaders().put(Dialer.HEADER, List.of(welcome));
        }

        @Override
        public <T> T getEndpointInstance(Class<T> type) {
            taken = true;
            return type.cast(links.socket(ends));
        }
    }
}
