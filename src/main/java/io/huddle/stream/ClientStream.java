package io.huddle.stream;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.huddle.security.Identity;
import io.huddle.web.Ids;
import io.huddle.web.TokenBucket;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.PingPong;
import io.huddle.wire.RequestAck;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.Trace;
import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a client, from its handshake to its end: a generation that never comes back. Safe for use by any
 * thread.
 *
 * <p>It is pending until it is registered and its observers have agreed, then public, then dead. Death is at once and for
 * good: from then on nothing is dispatched, no late handler answers, every call under way is over. The close frame follows
 * when the frame under way has been written.
 */
public final class ClientStream {
    private static final OneofDescriptor BODY = ClientMessage.getDescriptor().getOneofs().stream()
            .filter(oneof -> oneof.getName().equals("body"))
            .findFirst()
            .orElseThrow();
    private static final OneofDescriptor SERVER_BODY = ServerMessage.getDescriptor().getOneofs().stream()
            .filter(oneof -> oneof.getName().equals("body"))
            .findFirst()
            .orElseThrow();
    private static final int REQUEST_ID_LENGTH = 256;
    private static final ServerMessage PONG = ServerMessage.newBuilder()
            .setPingPong(PingPong.getDefaultInstance())
            .build();
    /** Answers to pings: a burst, and then as many a second. */
    private static final int PONGS = 10;

    private final String connectionId = Ids.make('x');
    private final Handshake handshake;
    private final Codec codec;
    private final Services services;
    private final Outbox outbox;
    private final Calls calls;
    private final Requests requests;
    private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);
    private volatile @Nullable ByteStreams bytes;
    private volatile @Nullable Map<String, String> attributes;
    private volatile @Nullable String metadata;
    private volatile long order;
    private volatile CloseCause cause = CloseCause.NORMAL;
    private volatile long heardAt = System.nanoTime();
    private volatile long deadAt;
    /** The socket takes nothing: its close will wait. */
    private volatile boolean stuck;

    private final TokenBucket pongs = new TokenBucket(1, PONGS, heardAt);
    private volatile @Nullable Farewell farewell;

    /** How the stream is to end when the request that this thread works for has been answered. */
    private record Farewell(Thread worker, CloseCause why, String reason) {}

    private enum State {
        PENDING,
        PUBLIC,
        DEAD
    }

    /** Closes the socket with a code and a reason. */
    @FunctionalInterface
    interface Closer {
        void close(CloseCause cause, String reason);
    }

    private final Closer closer;

    ClientStream(Handshake handshake, Codec codec, Services services, Outbox.Wire wire, Closer closer) {
        this.handshake = handshake;
        this.order = handshake.order();
        this.codec = codec;
        this.services = services;
        this.outbox = new Outbox(
                (frame, done) -> write(wire, frame, done), services.limits().bufferBytes());
        this.calls = new Calls(this, services.limits());
        this.requests = new Requests(this, services.limits());
        this.closer = closer;
    }

    /** The id of this connection, made by the server, unique. */
    public String connectionId() {
        return connectionId;
    }

    public String clientId() {
        return handshake.clientId();
    }

    public Identity identity() {
        return handshake.identity();
    }

    public Handshake handshake() {
        return handshake;
    }

    /** Which of two connections of a client is the newer: a participant's generation, else what was assigned; 0 without. */
    public long order() {
        return order;
    }

    /** Assigns the order of a stream that has none of its own. */
    public void order(long assigned) {
        order = assigned;
    }

    /** The handshake's metadata as a JSON object, or what replaced it since. */
    public String metadata() {
        String json = metadata;
        if (json != null) {
            return json;
        }
        String asked = asked();
        synchronized (this) {
            if (metadata == null) {
                // Kept, for finding the JSON provider costs far more than the text.
                metadata = asked;
            }
            return String.valueOf(metadata);
        }
    }

    private String asked() {
        if (handshake.metadata().isEmpty()) {
            return "{}";
        }
        JsonObjectBuilder object = Json.createObjectBuilder();
        handshake.metadata().forEach(object::add);
        return object.build().toString();
    }

    /** Replaces the metadata by a JSON object, which the caller has checked. */
    public synchronized void metadata(String json) {
        metadata = json;
    }

    /** What the server knows of this connection besides, for instance its team; set by an observer that knows. */
    public synchronized void attribute(String name, String value) {
        Map<String, String> all = attributes;
        if (all == null) {
            all = new ConcurrentHashMap<>(2);
            attributes = all;
        }
        all.put(name, value);
    }

    public @Nullable String attribute(String name) {
        Map<String, String> all = attributes;
        return all == null ? null : all.get(name);
    }

    /** True from publication until the end. */
    public boolean isPublic() {
        return state.get() == State.PUBLIC;
    }

    /** True as soon as the stream is revoked, whatever of it is still under way. */
    public boolean isDead() {
        return state.get() == State.DEAD;
    }

    /**
     * Calls the client and gives the response message of the same method.
     *
     * @param request a request of the server, for instance {@code DSignalRequest}
     * @param answer the response's class, for instance {@code DSignalResponse}
     * @param deadline from now until the answer
     * @return on any thread, so do not work on it for long; exceptionally with the client's {@link StreamError} or with a
     *     {@link CallFailed}
     */
    public <T extends Message> CompletionStage<T> call(Message request, Class<T> answer, Duration deadline) {
        ServerMessage.Builder envelope = ServerMessage.newBuilder();
        String trace = services.trace();
        if (trace != null) {
            envelope.setTrace(
                    Trace.newBuilder().setTraceId(trace).setSpanId(Ids.span()).setTraceFlags(1));
        }
        return calls.start(envelope, request, deadline).thenApply(answer::cast);
    }

    /**
     * Calls the client with a request that came from elsewhere.
     *
     * @param request holds a request of the server, whose ids are ignored
     * @return a message that holds the response; otherwise as {@link #call(Message, Class, Duration)}
     */
    public CompletionStage<ClientMessage> call(ServerMessage request, Duration deadline) {
        FieldDescriptor body = request.getOneofFieldDescriptor(SERVER_BODY);
        if (body == null) {
            throw new IllegalArgumentException("a call without a request");
        }
        FieldDescriptor response = Methods.response(ClientMessage.getDescriptor(), body.getNumber());
        ServerMessage.Builder envelope = ServerMessage.newBuilder();
        if (request.hasTrace()) {
            envelope.setTrace(request.getTrace());
        }
        return calls.start(envelope, (Message) request.getField(body), deadline)
                .thenApply(answer ->
                        ClientMessage.newBuilder().setField(response, answer).build());
    }

    /**
     * Ends the stream because a newer connection takes its client id: it is dead at once.
     *
     * @return completes when, besides, no frame is being written to its socket any more
     */
    public CompletionStage<Void> fence() {
        close(CloseCause.SUPERSEDED, "a newer connection has taken over");
        return outbox.quiet().toCompletableFuture().copy();
    }

    /** Completes when no frame is being written to its socket any more. */
    CompletionStage<Void> quiet() {
        return outbox.quiet();
    }

    /**
     * Opens a byte stream to the client.
     *
     * @throws StreamError if the stream has ended or has as many as it may have
     */
    public ByteSender openBytes() {
        return bytes().open();
    }

    /**
     * Takes the byte stream of the client that has this number, from its first byte on.
     *
     * @return ends it before its end
     * @throws StreamError if the number is none of a client's, or has or had a receiver
     */
    public ByteSource.BreakOff receiveBytes(int id, ByteReceiver receiver) {
        return bytes().attach(id, receiver);
    }

    /** Ends the stream: it is dead at once, the close frame follows. Idempotent; the first cause stays. */
    public void close(CloseCause why, String reason) {
        State before = state.getAndSet(State.DEAD);
        if (before == State.DEAD) {
            return;
        }
        cause = why;
        deadAt = System.nanoTime();
        services.metrics().closed(why);
        requests.end();
        calls.end();
        ByteStreams all = bytes;
        if (all != null) {
            all.end();
        }
        boolean flush = why == CloseCause.NORMAL || why == CloseCause.SESSION_ENDED || why == CloseCause.DRAINING;
        outbox.close(flush, () -> services.closers().accept(stuck, () -> end(why, reason)));
        services.ended(this, before == State.PUBLIC);
    }

    /**
     * Ends the stream once the request that this thread works for has been answered; for a handler, of the kind that
     * answers by returning, of a request by which the client itself ends it.
     */
    public void closeAfterAnswer(CloseCause why, String reason) {
        farewell = new Farewell(Thread.currentThread(), why, reason);
    }

    private void end(CloseCause why, String reason) {
        try {
            closer.close(why, reason);
        } finally {
            outbox.closed();
        }
    }

    /** Why it ended; meaningful once it is dead. */
    CloseCause cause() {
        return cause;
    }

    /** The connection is gone, by the client's close frame or without one. */
    void lost() {
        close(CloseCause.NORMAL, "");
        outbox.closeNow();
    }

    private void write(Outbox.Wire wire, Frame frame, Consumer<@Nullable Throwable> done) {
        wire.send(frame, failed -> {
            done.accept(failed);
            if (failed != null) {
                lost();
            }
        });
    }

    /** The first ping: the client knows that it was let in. */
    void greet() {
        send(PONG);
    }

    /** False if it died meanwhile. After it, requests run. */
    boolean publish() {
        return state.compareAndSet(State.PENDING, State.PUBLIC);
    }

    /** The second ping: the client counts as connected; then what it sent meanwhile. */
    void begin() {
        send(PONG);
        requests.open();
    }

    /** Takes a message of the client. Called by one thread at a time. */
    void receive(ClientMessage message, int size) {
        heardAt = System.nanoTime();
        if (isDead()) {
            return;
        }
        try {
            // Not under whatever request this thread once served.
            services.traces().resume(null, () -> take(message, size));
        } catch (Violation violation) {
            violate(violation);
        }
    }

    void violate(Violation violation) {
        services.metrics().hit(violation.limit());
        close(violation.cause(), violation.reason());
    }

    private void take(ClientMessage message, int size) {
        FieldDescriptor body = message.getOneofFieldDescriptor(BODY);
        services.traffic().in(this, message, body);
        switch (message.getBodyCase()) {
            case PING_PONG -> pong();
            case BYTE_STREAM_OPERATION -> operate(message.getByteStreamOperation());
            case REQUEST_ACK -> receipt(message);
            default -> takeCall(message, body, size);
        }
    }

    private void takeCall(ClientMessage message, @Nullable FieldDescriptor body, int size) {
        if (message.getRequestId().isEmpty() || message.getRequestId().length() > REQUEST_ID_LENGTH) {
            throw Violation.malformed("a request or reply needs a request id of at most 256 characters");
        }
        if (message.getReply()) {
            calls.reply(message, body);
        } else {
            requests.take(new Requests.Request(message, body, size));
        }
    }

    private void receipt(ClientMessage message) {
        if (handshake.protocol() < 4) {
            throw Violation.malformed("receipts belong to protocol 4");
        }
        calls.receipt(message);
    }

    /** Each ping is answered, up to a rate: two sides that answer each other's answers must not go on for ever. */
    private void pong() {
        if (pongs.take(System.nanoTime())) {
            send(PONG);
        }
    }

    private void operate(ByteStreamOperation operation) {
        bytes().take(operation);
    }

    void dispatch(Requests.Request request) {
        services.dispatcher().run(this, request, this::answer);
    }

    private void answer(Requests.Request request, Dispatcher.Outcome outcome) {
        FieldDescriptor body = request.body();
        services.metrics()
                .request(
                        outcome.error().equals("unknown-method") ? Methods.UNKNOWN : Methods.prefix(body),
                        outcome.name());
        if (!requests.finish(request)) {
            return;
        }
        ServerMessage.Builder reply =
                ServerMessage.newBuilder().setRequestId(request.id()).setReply(true);
        FieldDescriptor field = outcome.field();
        Message response = outcome.response();
        if (field != null && response != null) {
            reply.setField(field, response);
        } else {
            reply.setError(outcome.error()).setUserError(outcome.userError());
        }
        send(reply.build());
        Farewell last = farewell;
        if (last != null && last.worker() == Thread.currentThread()) {
            close(last.why(), last.reason());
        }
    }

    /** Sends what must not wait; a peer that lets too much wait is closed. */
    void send(ServerMessage message) {
        if (isDead()) {
            return;
        }
        if (!send(encode(message), message) && !isDead()) {
            services.metrics().hit("send-buffer");
            close(CloseCause.NO_CAPACITY, "the client takes its messages too slowly");
        }
    }

    /** Sends a message that its caller may be refused: false if as much waits as may wait. */
    boolean send(Frame frame, ServerMessage message) {
        services.traffic().out(this, message);
        return outbox.offer(frame);
    }

    boolean sendBulk(Frame frame) {
        return outbox.offerBulk(frame);
    }

    boolean withdraw(Frame frame) {
        return outbox.withdraw(frame);
    }

    Frame encode(ServerMessage message) {
        return codec.encode(message);
    }

    Codec codec() {
        return codec;
    }

    StreamMetrics metrics() {
        return services.metrics();
    }

    /** What must be done from time to time. Cheap where nothing is to do. */
    void watch(long now) {
        if (isDead()) {
            if (now - deadAt > services.limits().sendTimeout().toNanos()) {
                stuck = true;
                outbox.closeNow();
            }
            return;
        }
        if (outbox.isStalled(now, services.limits().sendTimeout().toNanos())) {
            services.metrics().hit("send-timeout");
            stuck = true;
            close(CloseCause.NO_CAPACITY, "the client takes its messages too slowly");
            outbox.closeNow();
            return;
        }
        calls.tidy(now);
        if (handshake.protocol() >= 4) {
            for (String id : requests.receiptsDue(now)) {
                send(ServerMessage.newBuilder()
                        .setRequestId(id)
                        .setRequestAck(RequestAck.getDefaultInstance())
                        .build());
            }
        }
        ByteStreams all = bytes;
        if (all != null) {
            all.tidy(now);
        }
    }

    /** Ends the stream if the client gave no sign of life for too long. */
    void judge(long now) {
        if (!isDead() && now - heardAt > services.limits().silence().toNanos()) {
            close(CloseCause.TIMEOUT, "no sign of life");
        }
    }

    private ByteStreams bytes() {
        ByteStreams all = bytes;
        if (all == null) {
            synchronized (this) {
                all = bytes;
                if (all == null) {
                    all = new ByteStreams(this, services);
                    bytes = all;
                }
            }
        }
        if (isDead()) {
            all.end();
        }
        return all;
    }
}
