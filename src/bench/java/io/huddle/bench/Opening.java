package io.huddle.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Opens streams, so many at a time, each until the server's second ping: from then on it counts as connected. */
final class Opening {
    private final Loop loop;
    private final int port;
    private final int socketBytes;
    private final IntFunction<String> target;
    private final Samples samples = new Samples();
    private final List<WebSocketLine> lines = new ArrayList<>();
    private int begun;
    private int most;
    private int connected;

    /** @param target the upgrade's target of each stream, made when it is sent */
    Opening(Loop loop, int port, int socketBytes, IntFunction<String> target) {
        this.loop = loop;
        this.port = port;
        this.socketBytes = socketBytes;
        this.target = target;
    }

    List<WebSocketLine> open(int count, int atATime) throws IOException {
        long start = System.nanoTime();
        most = atATime;
        more(count);
        loop.run(() -> connected == count, Loop.NO_WORK);
        samples.took(System.nanoTime() - start);
        return lines;
    }

    Samples samples() {
        return samples;
    }

    /** Few at first: a node that has just started compiles its code and opens its pool with the first of them. */
    private void more(int count) {
        while (begun < count && begun - connected < Math.min(most, 2 + connected / 8)) {
            begin(count);
        }
    }

    private void begin(int count) {
        long start = System.nanoTime();
        try {
            WebSocketLine line = new WebSocketLine(loop, port, socketBytes, target.apply(begun++), () -> {});
            lines.add(line);
            line.onMessage(first -> line.onMessage(second -> {
                requirePing(first, second);
                samples.add(System.nanoTime() - start);
                line.onMessage(pong -> {});
                connected++;
                more(count);
            }));
        } catch (IOException failed) {
            throw new IllegalStateException("a connection failed", failed);
        }
    }

    /** The first one's bytes may be overwritten by now; it was as long as the second. */
    private static void requirePing(ByteBuffer first, ByteBuffer second) {
        if (first.capacity() != second.capacity() || !Service.parse(second).hasPingPong()) {
            throw new IllegalStateException("the server began with something else than two pings");
        }
    }
}
