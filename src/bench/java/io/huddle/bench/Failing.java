package io.huddle.bench;

import io.huddle.wire.ServerMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Calls whose answers cannot come, as fast as their deadlines pass; how late each is told, and with what. */
final class Failing {
    private static final int DEADLINE_MS = 300;
    private static final int AT_A_TIME = 32;

    private final Mesh mesh;
    private final List<WebSocketLine> callers;
    private final int firstClient;
    private final Samples late = new Samples();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private final Map<String, Long> sent = new HashMap<>();
    private int failed;
    private long until;

    Failing(Mesh mesh, List<WebSocketLine> callers, int firstClient) {
        this.mesh = mesh;
        this.callers = callers;
        this.firstClient = firstClient;
        for (int i = 0; i < callers.size(); i++) {
            int at = i;
            callers.get(i).onMessage(message -> take(at, message));
        }
    }

    /** Calls for so long, and waits for what is under way. */
    void burst(double seconds) throws IOException {
        long start = System.nanoTime();
        until = start + (long) (seconds * 1e9);
        for (int i = 0; i < callers.size(); i++) {
            for (int j = 0; j < AT_A_TIME; j++) {
                send(i);
            }
        }
        mesh.loop().run(sent::isEmpty, () -> TimeUnit.MILLISECONDS.toNanos(2));
        late.took(System.nanoTime() - start);
    }

    /** How long after its deadline each failure came that had to wait for it. */
    Samples late() {
        return late;
    }

    int failed() {
        return failed;
    }

    Map<String, Integer> outcomes() {
        return outcomes;
    }

    private void send(int at) {
        ByteBuffer request = mesh.call(firstClient + at, DEADLINE_MS);
        sent.put(mesh.lastRequest(), System.nanoTime());
        callers.get(at).write(request);
    }

    private void take(int at, ByteBuffer bytes) {
        ServerMessage message = Service.parse(bytes);
        if (message.hasPingPong() || message.hasRequestAck()) {
            return;
        }
        Long begun = sent.remove(message.getRequestId());
        if (begun == null) {
            throw new IllegalStateException("an answer that nobody waits for");
        }
        long now = System.nanoTime();
        boolean isRefused = message.hasError();
        outcomes.merge(isRefused ? message.getError() : "answered", 1, Integer::sum);
        if (isRefused) {
            failed++;
            long over = now - begun - TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS);
            if (over >= 0) {
                late.add(over);
            }
        }
        if (now < until) {
            send(at);
        }
    }
}
