package io.huddle.stream;

import java.time.Duration;

/**
 * Fired, synchronously and in the order of priority, when a connection has opened and before its client is greeted. An
 * observer settles who owns the client id and may take its time; it turns the stream away as
 * {@link ClientConnecting.Rejected} says. For the thread it is fired on.
 */
public final class ClientReserving {
    private final ClientStream stream;
    private Duration hold = Duration.ZERO;

    public ClientReserving(ClientStream stream) {
        this.stream = stream;
    }

    public ClientStream stream() {
        return stream;
    }

    /**
     * Lets the client wait so long before it is greeted, without a thread. It keeps its place among the handshakes. Of several
     * the longest counts.
     */
    public void hold(Duration least) {
        if (least.compareTo(hold) > 0) {
            hold = least;
        }
    }

    /** How long the client waits; zero for not at all. */
    public Duration held() {
        return hold;
    }
}
