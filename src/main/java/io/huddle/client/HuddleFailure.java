package io.huddle.client;

import java.net.http.HttpResponse;
import java.net.http.WebSocketHandshakeException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Why a connection did not come about or ended, or why a call has no answer. Immutable. */
public final class HuddleFailure extends HuddleException {
    private static final long serialVersionUID = 1L;

    /** What happened, and what may be done about it. */
    public enum Reason {
        /** The call was not sent: there is no connection. It is safe to repeat. */
        NOT_CONNECTED,
        /** The call was not sent: as many calls or bytes wait as may wait. It is safe to repeat, later. */
        BACKPRESSURE,
        /** The call was not sent: it is larger than a message may be. */
        TOO_LARGE,
        /** No answer came in time. What was asked may have been done. */
        DEADLINE_EXCEEDED,
        /** The connection ended before the answer. What was asked may have been done; it is not sent again. */
        DELIVERY_INDETERMINATE,

        /** The server took something for malformed (400 or 4000), or the client did with what the server sent. */
        BAD_ARGUMENT,
        /** 401 or 403: wrong key, clock, audience or ticket. The server does not tell which. */
        AUTHENTICATION,
        /** 503 or 1013: the server has no room now, or cannot tell yet who owns this client id. */
        NO_CAPACITY,
        /** The upgrade was answered with another status, which {@link HuddleFailure#code()} gives. */
        REFUSED,
        /** The supplier of tickets failed; its exception is the cause. */
        NO_TICKET,
        /** No connection to the server; the exception is the cause. */
        UNREACHABLE,
        /** The connection was not established in time. */
        CONNECT_TIMEOUT,

        /** The connection broke without a word. */
        LOST,
        /** No sign of life, found by either side (4003). */
        TIMEOUT,
        /** The node is draining and wants the client elsewhere (1012). */
        DRAINING,
        /** The server closed without a cause. */
        SERVER_CLOSED,
        /** Another connection of this client id is alive and was not to be superseded (4001). */
        CONFLICT,
        /** A newer connection of this client id took over (4002). */
        SUPERSEDED,
        /** The session is over (4004); {@link HuddleFailure#detail()} is its event's reason. */
        SESSION_ENDED,
        /** An operator disconnected the client (4005). */
        OPERATOR,
        /** This client was closed by its owner. */
        CLOSED;

        /** Whether a client that lost its connection for this reason stays off. */
        boolean isFinal() {
            return this == CONFLICT
                    || this == SUPERSEDED
                    || this == SESSION_ENDED
                    || this == OPERATOR
                    || this == CLOSED;
        }

        private String wire() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Reason reason;
    private final int code;
    private final String detail;

    HuddleFailure(Reason reason) {
        this(reason, 0, "", null);
    }

    HuddleFailure(Reason reason, String detail) {
        this(reason, 0, detail, null);
    }

    HuddleFailure(Reason reason, int code, String detail, @Nullable Throwable cause) {
        super(reason.wire() + (code == 0 ? "" : " (" + code + ")") + (detail.isEmpty() ? "" : ": " + detail), cause);
        this.reason = reason;
        this.code = code;
        this.detail = detail;
    }

    public Reason reason() {
        return reason;
    }

    /** The WebSocket close code or the HTTP status, 0 if there was none. */
    public int code() {
        return code;
    }

    /** The reason of the close frame, or a sentence of the client; empty without. */
    public String detail() {
        return detail;
    }

    static HuddleFailure ofClose(int code, String detail) {
        Reason reason = switch (code) {
            case 1000 -> Reason.SERVER_CLOSED;
            case 1012 -> Reason.DRAINING;
            case 1013 -> Reason.NO_CAPACITY;
            case 4000 -> Reason.BAD_ARGUMENT;
            case 4001 -> Reason.CONFLICT;
            case 4002 -> Reason.SUPERSEDED;
            case 4003 -> Reason.TIMEOUT;
            case 4004 -> Reason.SESSION_ENDED;
            case 4005 -> Reason.OPERATOR;
            default -> Reason.LOST;
        };
        return new HuddleFailure(reason, code, detail, null);
    }

    /** What an upgrade that did not come about ended with. */
    static HuddleFailure ofUpgrade(Throwable failed) {
        Throwable cause = unwrapped(failed);
        HttpResponse<?> answer = cause instanceof WebSocketHandshakeException refused ? refused.getResponse() : null;
        if (answer == null) {
            return new HuddleFailure(Reason.UNREACHABLE, 0, "", cause);
        }
        Reason reason = switch (answer.statusCode()) {
            case 400 -> Reason.BAD_ARGUMENT;
            case 401, 403 -> Reason.AUTHENTICATION;
            case 503 -> Reason.NO_CAPACITY;
            default -> Reason.REFUSED;
        };
        return new HuddleFailure(reason, answer.statusCode(), "", null);
    }

    static Throwable unwrapped(Throwable failed) {
        Throwable cause = failed.getCause();
        return failed instanceof CompletionException && cause != null ? cause : failed;
    }
}
