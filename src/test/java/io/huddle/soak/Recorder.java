package io.huddle.soak;

import io.huddle.soak.History.Activation;
import io.huddle.soak.History.Call;
import io.huddle.soak.History.Run;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What one client id goes through, as it happens. For any thread. */
final class Recorder {
    private final String client;
    private final ConcurrentLinkedQueue<Activation> connections = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Run> runs = new ConcurrentLinkedQueue<>();
    private volatile int newest;

    Recorder(String client) {
        this.client = client;
    }

    String client() {
        return client;
    }

    /** Told by whoever connects, one connection after the other. */
    void activated(int connection) {
        connections.add(new Activation(connection, System.nanoTime()));
        newest = connection;
    }

    void ran(long call, int connection) {
        runs.add(new Run(call, connection, System.nanoTime()));
    }

    void ended(long call, long invokedAt, int through) {
        calls.add(new Call(call, invokedAt, System.nanoTime(), through));
    }

    /** The connection that was activated last; 0 before the first. */
    int newest() {
        return newest;
    }

    int connections() {
        return connections.size();
    }

    /** Fences and writes are seen by nodes only: this history has none. */
    History history() {
        return new History(
                client, List.copyOf(connections), List.copyOf(calls), List.copyOf(runs), List.of(), List.of());
    }
}
