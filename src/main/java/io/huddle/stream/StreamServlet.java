package io.huddle.stream;

import io.huddle.web.Problem;
import io.huddle.web.PublicUrl;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.WebSocketUpgrade;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.websocket.server.ServerEndpointConfig;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;

/**
 * The upgrade to a client stream. Callers: whoever proves by ticket or signature who it is.
 *
 * <p>Refuses before the upgrade, with a status: 400 malformed, 403 not proven, 503 no capacity. The capacity is looked at
 * first, so that a ticket is not used up by a node that has no place.
 */
@WebServlet(urlPatterns = StreamServlet.PATH)
public class StreamServlet extends HttpServlet {
    static final String PATH = "/stream";
    private static final long serialVersionUID = 1L;
    private static final List<String> SUBPROTOCOLS =
            Arrays.stream(Codec.values()).map(Codec::subprotocol).toList();

    @Inject
    private transient Streams streams;

    @Inject
    private transient Handshakes handshakes;

    @Inject
    private transient StreamMetrics metrics;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        if (!WebSocketUpgrade.isAsked(request)) {
            refuse(response, Refusal.INVALID_REQUEST, "this path is for WebSocket connections");
        } else if (!isSpoken(request)) {
            refuse(
                    response,
                    Refusal.INVALID_REQUEST,
                    "the subprotocols of this path are " + String.join(", ", SUBPROTOCOLS));
        } else if (!streams.enter()) {
            refuse(response, Refusal.UNAVAILABLE, "this node takes no more streams now; try again");
        } else {
            enter(request, response);
        }
    }

    private void enter(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
        Taken taken = new Taken();
        try {
            Handshake handshake =
                    handshakes.admit(PATH, request.getQueryString(), request.getHeader("Origin"), own(request));
            upgrade(request, response, handshake, taken);
            metrics.handshake(HttpServletResponse.SC_SWITCHING_PROTOCOLS);
        } catch (Refused refused) {
            refuse(response, refused.refusal(), refused.detail());
        } finally {
            if (!taken.byConnection) {
                streams.leave();
            }
        }
    }

    /** The origin that the request came to, by its Host header, which may hold anything. */
    private static String own(HttpServletRequest request) {
        try {
            return PublicUrl.origin(new URI(request.getRequestURL().toString()));
        } catch (URISyntaxException strange) {
            throw Refused.invalid("the header Host names no host");
        }
    }

    /** Whether the connection has opened and gives the handshake's place back itself. */
    private static final class Taken {
        private volatile boolean byConnection;
    }

    private void upgrade(HttpServletRequest request, HttpServletResponse response, Handshake handshake, Taken taken)
            throws IOException, ServletException {
        ServerEndpointConfig config = ServerEndpointConfig.Builder.create(Connection.class, PATH)
                .subprotocols(SUBPROTOCOLS)
                .configurator(new ServerEndpointConfig.Configurator() {
                    @Override
                    public <T> T getEndpointInstance(Class<T> type) {
                        taken.byConnection = true;
                        return type.cast(new Connection(streams, handshake));
                    }
                })
                .build();
        WebSocketUpgrade.carryOut(request, response, config);
    }

    /** Without a subprotocol it is protobuf; with unknown ones only, the two sides do not understand each other. */
    private static boolean isSpoken(HttpServletRequest request) {
        String offered = request.getHeader("Sec-WebSocket-Protocol");
        return offered == null
                || Arrays.stream(offered.split(",", -1)).map(String::strip).anyMatch(SUBPROTOCOLS::contains);
    }

    private void refuse(HttpServletResponse response, Refusal refusal, String detail) throws IOException {
        metrics.handshake(refusal.status());
        Problem.write(response, refusal, refusal == Refusal.FORBIDDEN ? "the handshake was refused" : detail);
    }
}
