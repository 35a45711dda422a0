package io.huddle.soak;

import java.util.List;

/**
 * What was seen of one client id. Instants are nanoseconds on one clock; where an instant was only seen from outside, it is
 * recorded so that no right history looks wrong: an activation and an answer as late, an invocation as early as they can
 * have been.
 *
 * @param connections in the order of their activation
 */
record History(
        String client,
        List<Activation> connections,
        List<Call> calls,
        List<Run> runs,
        List<Fence> fences,
        List<Write> writes) {
    History {
        connections = List.copyOf(connections);
        calls = List.copyOf(calls);
        runs = List.copyOf(runs);
        fences = List.copyOf(fences);
        writes = List.copyOf(writes);
    }

    /** A connection counts as connected. */
    record Activation(int connection, long at) {}

    /**
     * A call of somebody to this client.
     *
     * @param through the connection that answered ok, as the answer says; 0 if it was never answered ok
     * @param answeredAt when the caller had the answer, or gave up
     */
    record Call(long id, long invokedAt, long answeredAt, int through) {
        boolean isOk() {
            return through != 0;
        }
    }

    /** The client ran a call that came by this connection. */
    record Run(long call, int connection, long at) {}

    /** The owner has acknowledged that the connection is dead and no write is under way. */
    record Fence(int connection, long at) {}

    /** A frame was handed to the connection's socket. */
    record Write(int connection, long at) {}
}
