package io.huddle.bench;

import com.google.protobuf.UnsafeByteOperations;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ByteStreamOperation.Finish;
import io.huddle.wire.ByteStreamOperation.Write;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.UEchoBytesRequest;
import io.huddle.wire.UEchoRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;

/**
 * The client of {@code src/bench/run bytes}: {@code PORT MEBIBYTES CALLS_PER_SECOND}. Prints one line of JSON.
 *
 * <p>Sends the bytes by {@code uEchoBytes} and checks each that comes back, and meanwhile calls {@code uEcho} on the same
 * stream, after five seconds of calls alone. A call's latency runs from the instant at which it was to be sent, whether or not it could be. Holds one chunk
 * and what the sockets hold, never more.
 */
public final class BytesBench {
    private static final int CHUNK = 64 * 1024;
    private static final int PATTERN = 16 * CHUNK;
    /** Bounds what waits in the kernel, of the client's side of each socket. */
    private static final int SOCKET_BYTES = 256 * 1024;

    private static final long ALONE = 5_000_000_000L;
    private static final String SECRET = "a-secret-of-the-benchmark-and-of-nobody-else";
    private static final byte[] TEXT = Service.ascii("0123456789".repeat(10));

    private final byte[] pattern = new byte[PATTERN];
    private final ByteBuffer[] frames = new ByteBuffer[PATTERN / CHUNK];
    private final long total;
    private final long interval;
    private final Samples alone = new Samples();
    private final Samples beside = new Samples();
    private final Queue<Long> intended = new ArrayDeque<>();
    private final WebSocketLine line;
    private final Loop loop;

    private Samples calls = alone;
    private int back;
    private long sent;
    private long received;
    private boolean finished;
    private boolean over;
    private long due;
    private long sentCalls;

    private BytesBench(Loop loop, WebSocketLine line, long total, int perSecond) {
        this.loop = loop;
        this.line = line;
        this.total = total;
        this.interval = 1_000_000_000L / perSecond;
        new Random(1).nextBytes(pattern);
        for (int i = 0; i < frames.length; i++) {
            Write write = Write.newBuilder()
                    .setChunk(UnsafeByteOperations.unsafeWrap(pattern, i * CHUNK, CHUNK))
                    .build();
            frames[i] = WebSocketLine.frame(operation()
                    .setByteStreamOperation(
                            ByteStreamOperation.newBuilder().setStreamId(1).setWrite(write))
                    .build()
                    .toByteArray());
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int port = Integer.parseInt(arguments[0]);
        long mebibytes = Long.parseLong(arguments[1]);
        int perSecond = Integer.parseInt(arguments[2]);
        new Service(port).makeKeys(1, SECRET);
        Loop loop = new Loop();
        WebSocketLine line = new Opening(loop, port, SOCKET_BYTES, client -> Service.signed(client, SECRET))
                .open(1, 1)
                .get(0);
        BytesBench bench = new BytesBench(loop, line, mebibytes << 20, perSecond);
        double seconds = bench.run();
        System.out.println(String.format(
                Locale.ROOT,
                "{\"mebibytes\":%d,\"seconds\":%.1f,\"mebibytesPerSecond\":%.0f,\"alone\":{%s},\"beside\":{%s}}",
                mebibytes,
                seconds,
                mebibytes / seconds,
                bench.alone.members(),
                bench.beside.members()));
        System.exit(0);
    }

    private double run() throws IOException {
        line.onMessage(this::take);
        due = System.nanoTime();
        long end = due + ALONE;
        loop.run(() -> System.nanoTime() > end && intended.isEmpty(), () -> call(System.nanoTime() <= end));
        alone.took(ALONE);
        calls = beside;
        line.write(WebSocketLine.frame(ClientMessage.newBuilder()
                .setRequestId("bytes")
                .setUEchoBytesRequest(UEchoBytesRequest.newBuilder().setStreamId(1))
                .build()
                .toByteArray()));
        loop.run(() -> back != 0, Loop.NO_WORK);
        long start = System.nanoTime();
        due = start;
        loop.run(() -> over && intended.isEmpty(), this::work);
        long elapsed = System.nanoTime() - start;
        beside.took(elapsed);
        return elapsed / 1e9;
    }

    /** Sends the calls that are due; gives the nanoseconds until the next one is. */
    private long call(boolean isWanted) {
        long now = System.nanoTime();
        while (isWanted && now >= due) {
            intended.add(due);
            due += interval;
            line.write(WebSocketLine.frame(ClientMessage.newBuilder()
                    .setRequestId("e" + sentCalls++)
                    .setUEchoRequest(UEchoRequest.newBuilder().setMessageBytes(UnsafeByteOperations.unsafeWrap(TEXT)))
                    .build()
                    .toByteArray()));
        }
        return Math.max(0, due - now);
    }

    /** Behind the calls that are due a chunk goes out, if the socket has taken the one before. */
    private long work() {
        long wait = call(!over);
        if (line.isFlushed() && sent < total) {
            line.write(frames[(int) (sent / CHUNK % frames.length)].duplicate());
            sent += CHUNK;
            return line.isFlushed() ? 0 : wait;
        }
        if (sent == total && !finished) {
            finished = true;
            line.write(WebSocketLine.frame(operation()
                    .setByteStreamOperation(
                            ByteStreamOperation.newBuilder().setStreamId(1).setFinish(Finish.getDefaultInstance()))
                    .build()
                    .toByteArray()));
        }
        return wait;
    }

    private static ClientMessage.Builder operation() {
        return ClientMessage.newBuilder();
    }

    private void take(ByteBuffer bytes) {
        ServerMessage message = Service.parse(bytes);
        switch (message.getBodyCase()) {
            case U_ECHO_RESPONSE -> calls.add(System.nanoTime() - intended.remove());
            case U_ECHO_BYTES_RESPONSE -> back = message.getUEchoBytesResponse().getStreamId();
            case BYTE_STREAM_OPERATION -> operate(message.getByteStreamOperation());
            case PING_PONG, REQUEST_ACK -> {}
            default -> throw new IllegalStateException("the server sent " + message.getBodyCase());
        }
    }

    private void operate(ByteStreamOperation operation) {
        switch (operation.getOperationCase()) {
            case WRITE -> compare(operation.getWrite().getChunk().asReadOnlyByteBuffer());
            case FINISH -> {
                over = true;
                if (received != total || operation.getStreamId() != back) {
                    throw new IllegalStateException(received + " bytes came back of " + total);
                }
            }
            default -> throw new IllegalStateException("the server sent " + operation);
        }
    }

    private void compare(ByteBuffer chunk) {
        while (chunk.hasRemaining()) {
            int at = (int) (received % PATTERN);
            int length = Math.min(chunk.remaining(), PATTERN - at);
            if (!chunk.slice(chunk.position(), length).equals(ByteBuffer.wrap(pattern, at, length))) {
                throw new IllegalStateException("other bytes came back than were sent, after " + received);
            }
            chunk.position(chunk.position() + length);
            received += length;
        }
    }
}
