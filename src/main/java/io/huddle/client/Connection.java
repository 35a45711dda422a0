package io.huddle.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.huddle.client.HuddleFailure.Reason;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.PingPong;
import io.huddle.wire.ServerMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One connection, from the upgrade to its end: a generation that never comes back. It ends once, for the first cause, and
 * from that moment nothing of it is dispatched or sent. The socket's callbacks come one at a time; the rest is for any
 * thread.
 */
final class Connection implements WebSocket.Listener {
    private static final ClientMessage PING = ClientMessage.newBuilder()
            .setPingPong(PingPong.getDefaultInstance())
            .build();
    private static final int CLOSE_REASON_BYTES = 123;

    private final Resources resources;
    private final Timing timing;
    private final Calls calls;
    private final Requests requests;
    private final ByteStreams byteStreams;

    /** Completes with the server's second ping; exceptionally with a {@link HuddleFailure}. */
    final CompletableFuture<Boolean> established = new CompletableFuture<>();

    private final AtomicBoolean dead = new AtomicBoolean();

    /** Completes with the first cause once everything on the connection has ended, on the thread that found it. */
    final CompletableFuture<HuddleFailure> ended = new CompletableFuture<>();

    /** Fragments of the message that is arriving; for the socket's thread only, as is the next. */
    private @Nullable ByteArrayOutputStream fragments;

    private int pings;

    private volatile long lastSign = System.nanoTime();
    private volatile @Nullable WebSocket socket;
    private volatile @Nullable Outbox outbox;

    /** Guarded by this. */
    private final List<Future<?>> timers = new ArrayList<>();

    Connection(Handlers handlers, Resources resources, Timing timing) {
        this.resources = resources;
        this.timing = timing;
        this.calls = new Calls(resources.executor(), resources.timers());
        this.requests = new Requests(handlers, resources, timing, this::sendOwn);
        this.byteStreams = new ByteStreams(this, resources.timers(), timing);
        after(timing.connect(), () -> {
            if (!established.isDone()) {
                end(new HuddleFailure(Reason.CONNECT_TIMEOUT), 4003);
            }
        });
    }

    CompletableFuture<Message> call(Methods.Method method, Message request, Duration deadline) {
        return calls.call(method, request, deadline, this::offer);
    }

    ByteOutput openBytes() throws IOException {
        return byteStreams.open();
    }

    ByteInput receiveBytes(int id) throws IOException {
        return byteStreams.attach(id);
    }

    boolean isDead() {
        return dead.get();
    }

    /** Pings now and ends the connection if nothing comes within the short time for a hint. */
    void check() {
        long asked = System.nanoTime();
        sendOwn(PING);
        after(timing.hint(), () -> {
            if (lastSign - asked < 0 && !byteStreams.isPaused()) {
                end(new HuddleFailure(Reason.TIMEOUT, "no sign of life"), 4003);
            }
        });
    }

    /**
     * Ends the connection.
     *
     * @param code for the close frame; 0 to close without one
     */
    void end(HuddleFailure cause, int code) {
        if (!dead.compareAndSet(false, true)) {
            return;
        }
        List<Future<?>> running;
        synchronized (this) {
            running = List.copyOf(timers);
            timers.clear();
        }
        running.forEach(timer -> timer.cancel(false));
        Outbox closing = outbox;
        if (closing != null) {
            closing.close();
        }
        requests.end();
        calls.end();
        byteStreams.end();
        established.completeExceptionally(cause);
        hangUp(code, cause.detail());
        ended.complete(cause);
    }

    // What the socket calls.

    @Override
    public void onOpen(WebSocket opened) {
        socket = opened;
        outbox = new Outbox(opened, failed -> end(new HuddleFailure(Reason.LOST, 0, "", failed), 0));
        lastSign = System.nanoTime();
        if (isDead()) {
            opened.abort();
        } else {
            opened.request(1);
        }
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        if (isDead()) {
            return null;
        }
        lastSign = System.nanoTime();
        try {
            receive(data, last);
        } catch (InvalidProtocolBufferException malformed) {
            end(new HuddleFailure(Reason.BAD_ARGUMENT, "malformed message"), 4000);
        } catch (BadPeer broken) {
            end(new HuddleFailure(Reason.BAD_ARGUMENT, broken.reason()), 4000);
        }
        if (!byteStreams.pauseIfFull()) {
            from.request(1);
        }
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        end(new HuddleFailure(Reason.BAD_ARGUMENT, "text where binary was agreed"), 4000);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
        lastSign = System.nanoTime();
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
        lastSign = System.nanoTime();
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        end(HuddleFailure.ofClose(code, reason), 0);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable failed) {
        end(new HuddleFailure(Reason.LOST, 0, "", failed), 0);
    }

    // What the parts call.

    /** Reading from the socket goes on after a pause. */
    void resume() {
        WebSocket open = socket;
        if (open != null) {
            lastSign = System.nanoTime();
            open.request(1);
        }
    }

    /** Sends a step of a byte stream; {@code left} runs once the socket has taken it or never will. */
    void send(ByteStreamOperation operation, Runnable left) {
        Frame frame = new Frame(
                ClientMessage.newBuilder().setByteStreamOperation(operation).build()) {
            @Override
            void leaves() {
                left.run();
            }
        };
        if (!offer(frame)) {
            left.run();
            endIfFull();
        }
    }

    private void sendOwn(ClientMessage message) {
        if (!offer(new Frame(message))) {
            endIfFull();
        }
    }

    /** What the protocol owes the server cannot be left out: a socket that takes nothing ends the connection. */
    private void endIfFull() {
        end(new HuddleFailure(Reason.BACKPRESSURE, "the server takes nothing"), 4000);
    }

    private boolean offer(Frame frame) {
        Outbox open = outbox;
        return open != null && !isDead() && open.offer(frame);
    }

    private void receive(ByteBuffer data, boolean last) throws InvalidProtocolBufferException {
        ByteArrayOutputStream before = fragments;
        if ((before == null ? 0 : before.size()) + data.remaining() > Limits.MESSAGE_BYTES) {
            throw new BadPeer("message too large");
        }
        if (before == null && last) {
            int size = data.remaining();
            dispatch(ServerMessage.parseFrom(data), size);
            return;
        }
        ByteArrayOutputStream all = before == null ? new ByteArrayOutputStream() : before;
        byte[] part = new byte[data.remaining()];
        data.get(part);
        all.writeBytes(part);
        fragments = last ? null : all;
        if (last) {
            dispatch(ServerMessage.parseFrom(all.toByteArray()), all.size());
        }
    }

    private void dispatch(ServerMessage message, int size) {
        switch (message.getBodyCase()) {
            case PING_PONG -> onServerPing();
            case BYTE_STREAM_OPERATION -> byteStreams.accept(message.getByteStreamOperation());
            case REQUEST_ACK -> onReceipt(message);
            default -> {
                if (!message.getReply()) {
                    requests.accept(message, size);
                } else if (!calls.answer(message)) {
                    throw new BadPeer("answer to no request");
                }
            }
        }
    }

    /** The first says that the place is reserved, the second that the stream is public; the others answer ours. */
    private void onServerPing() {
        pings++;
        if (pings == 2) {
            after(timing.ping(), this::ping);
            after(timing.check(), this::look);
            established.complete(true);
        }
    }

    private void onReceipt(ServerMessage message) {
        if (message.getReply() || message.hasError() || !calls.isKnown(message.getRequestId())) {
            throw new BadPeer("receipt of no request");
        }
    }

    private void ping() {
        sendOwn(PING);
        after(timing.ping(), this::ping);
    }

    /** While the client itself does not read, silence says nothing. */
    private void look() {
        if (System.nanoTime() - lastSign > timing.silence().toNanos() && !byteStreams.isPaused()) {
            end(new HuddleFailure(Reason.TIMEOUT, "no sign of life"), 4003);
        }
        after(timing.check(), this::look);
    }

    private void after(Duration delay, Runnable action) {
        synchronized (this) {
            if (!isDead()) {
                timers.removeIf(Future::isDone);
                timers.add(resources.timers().after(delay, action));
            }
        }
    }

    /** Nothing waits for a peer that does not answer the close frame. */
    private void hangUp(int code, String detail) {
        WebSocket open = socket;
        if (open == null) {
            return;
        }
        if (code != 0 && !open.isOutputClosed()) {
            var unused = open.sendClose(code, bounded(detail)).exceptionally(failed -> open);
            // The rest of what the server sends is read, or its close frame would never be seen.
            open.request(Long.MAX_VALUE);
        }
        var unused = resources.timers().after(timing.farewell(), open::abort);
    }

    private static String bounded(String reason) {
        return reason.length() * 3 <= CLOSE_REASON_BYTES ? reason : reason.substring(0, CLOSE_REASON_BYTES / 3);
    }
}
