package io.huddle.client;

import com.google.protobuf.Message;
import io.huddle.client.HuddleFailure.Reason;
import java.io.IOException;
import java.net.URI;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client of Huddle's stream: calls methods of the server, answers its calls, and comes back by itself when a connection
 * is lost.
 *
 * <p>A connection is a generation: with it end all calls and byte streams that were under way on it, and nothing is ever
 * sent again on the next one. The client stays off after {@link Reason#CONFLICT}, {@link Reason#SUPERSEDED},
 * {@link Reason#SESSION_ENDED} and {@link Reason#OPERATOR}, and after {@link #close()}; {@link #connect()} tries again,
 * except after {@code close}. Once it had a connection, it asks to supersede what the server may still hold of it.
 *
 * <p>For any thread. Callbacks, handlers and the stages of the answers run on the client's executor; see
 * {@link ClientOptions#executor}.
 */
public final class HuddleClient implements AutoCloseable {
    /** For the answer of a call where no other deadline is given. */
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final String SUBPROTOCOL = "huddle.protobuf.v1";

    private final Credentials credentials;
    private final ClientOptions options;
    private final Resources resources;
    private final Timing timing;
    private final Handlers handlers;
    private final Sequence callbacks;

    /** Guarded by this, as is all below. */
    private State state = State.OFF;

    /** What {@link #connect()} gave out and is not decided. */
    private CompletableFuture<Boolean> connecting = new CompletableFuture<>();

    private @Nullable Connection connection;
    private @Nullable Future<?> retry;
    private Duration clockOffset = Duration.ZERO;

    /** Had a connection that nobody took over, so that what the server still holds of it may be superseded. */
    private boolean owner;

    private int failures;
    private long establishedAt;

    private enum State {
        /** Not connected, and nothing will change that but a call of connect. */
        OFF,
        /** The first attempt. */
        CONNECTING,
        CONNECTED,
        /** Waits for the next attempt, or makes it. */
        RECONNECTING,
        CLOSED
    }

    private HuddleClient(Credentials credentials, ClientOptions options) {
        this.credentials = credentials;
        this.options = options;
        this.resources = options.resources();
        this.timing = options.timing();
        this.handlers = new Handlers(options.defects());
        this.callbacks = new Sequence(resources.executor());
    }

    /**
     * A client with a key, which signs each handshake anew.
     *
     * @param url the stream's address, for instance {@code wss://huddle.example/stream}
     */
    public static HuddleClient withKey(URI url, ClientKey key, ClientOptions options) {
        return new HuddleClient(new Credentials.Signed(Objects.requireNonNull(url), key), options);
    }

    /**
     * A participant's client.
     *
     * @param tickets joins by REST and gives the ticket; asked for each connection, since a ticket is good for one. When it
     *     fails, that counts as a failed attempt. To stop for good, it closes the client.
     */
    public static HuddleClient withTickets(Supplier<? extends CompletionStage<Ticket>> tickets, ClientOptions options) {
        return new HuddleClient(new Credentials.Tickets(tickets), options);
    }

    /**
     * Connects; one attempt of at most sixty seconds. A later loss of the connection is the client's own affair.
     *
     * @return completes when the server counts this client as connected; exceptionally with a {@link HuddleFailure}
     */
    public CompletableFuture<Boolean> connect() {
        CompletableFuture<Boolean> outcome;
        synchronized (this) {
            switch (state) {
                case CLOSED -> {
                    return CompletableFuture.failedFuture(new HuddleFailure(Reason.CLOSED));
                }
                case CONNECTED, CONNECTING -> {
                    return outcome(connecting);
                }
                case RECONNECTING -> {
                    Future<?> waiting = retry;
                    if (waiting == null || !waiting.cancel(false)) {
                        return outcome(connecting);
                    }
                    retry = null;
                }
                case OFF -> {
                    state = State.CONNECTING;
                    connecting = new CompletableFuture<>();
                }
            }
            outcome = outcome(connecting);
        }
        attempt();
        return outcome;
    }

    /** Whether the server counts this client as connected, as far as this client knows. */
    public synchronized boolean isConnected() {
        // A connection is dead before its end has been dealt with.
        return state == State.CONNECTED && connection != null && !connection.isDead();
    }

    /** As {@link #call(Message, Class, Duration)} with {@link #DEADLINE}. */
    public <T extends Message> CompletableFuture<T> call(Message request, Class<T> answer) {
        return call(request, answer, DEADLINE);
    }

    /**
     * Calls a method of the server. At most 128 calls of together 8 MiB may be waiting.
     *
     * @param request for instance a {@code UEchoRequest}
     * @param answer the class of the same method's response, for instance {@code UEchoResponse}
     * @param deadline from now until the answer
     * @return exceptionally with a {@link RemoteError} or a {@link HuddleFailure}; cancelling it frees the call's place
     * @throws IllegalArgumentException if the two do not belong to a method of the client
     */
    @SuppressWarnings("unchecked") // The method answers with exactly this class.
    public <T extends Message> CompletableFuture<T> call(Message request, Class<T> answer, Duration deadline) {
        Methods.Method method = Methods.ALL.called(request.getClass(), answer);
        Connection current = current();
        if (current == null) {
            return CompletableFuture.failedFuture(new HuddleFailure(Reason.NOT_CONNECTED));
        }
        return (CompletableFuture<T>) (CompletableFuture<?>) current.call(method, request, deadline);
    }

    /**
     * Answers a method of the server at once. Requests of one method are handled one after another, in the order of their
     * arrival; one that takes long had better be answered by {@link #serveLater}. Register before connecting.
     *
     * @param request for instance {@code DCallRequest.class}
     * @throws IllegalArgumentException if it is no request of the server
     * @throws IllegalStateException if the method has a handler
     */
    @SuppressWarnings("unchecked") // The entry is only found for its own request type.
    public <Q extends Message, R extends Message> void serve(Class<Q> request, Handler<Q, R> handler) {
        handlers.add(
                Methods.ALL.served(request), message -> CompletableFuture.completedFuture(handler.handle((Q) message)));
    }

    /**
     * Answers a method of the server later. Handlers are started in the order of the requests' arrival, and the next one as
     * soon as the one before has returned its stage; at most 128 may be under way.
     *
     * @param handler gives a stage of the response, which ends with a {@link RemoteError} to refuse
     * @throws IllegalArgumentException if it is no request of the server
     * @throws IllegalStateException if the method has a handler
     */
    @SuppressWarnings("unchecked") // The entry is only found for its own request type.
    public <Q extends Message, R extends Message> void serveLater(
            Class<Q> request, Function<Q, ? extends CompletionStage<R>> handler) {
        handlers.add(Methods.ALL.served(request), message -> handler.apply((Q) message));
    }

    /**
     * Opens a byte stream to the server, on the present connection. A request tells the server its id.
     *
     * @throws IOException if there is no connection, or if 1,024 are open
     */
    public ByteOutput openBytes() throws IOException {
        return connected().openBytes();
    }

    /**
     * Takes a byte stream of the server on the present connection, from its first byte on. What comes earlier is kept for
     * five seconds.
     *
     * @param id as the server told it
     * @throws IOException if there is no connection, if 1,024 are open, or if nobody took the stream in time
     * @throws IllegalStateException if the stream has a reader
     */
    public ByteInput receiveBytes(int id) throws IOException {
        return connected().receiveBytes(id);
    }

    /**
     * A hint that the connection may be dead, for instance after the machine slept or changed networks: a ping goes out, and
     * without any sign of life within ten seconds the client reconnects.
     */
    public void checkConnection() {
        Connection current;
        synchronized (this) {
            current = connection;
        }
        if (current != null) {
            current.check();
        }
    }

    /**
     * For a machine whose clock is wrong: a signature's time may differ by thirty seconds from the server's.
     *
     * @param offset what is to be added to this machine's clock
     */
    public synchronized void setClockOffset(Duration offset) {
        clockOffset = offset;
    }

    /** Disconnects for good. What is under way ends as with any lost connection. Returns at once; idempotent. */
    @Override
    public void close() {
        Connection current;
        CompletableFuture<Boolean> undecided;
        synchronized (this) {
            state = State.CLOSED;
            current = connection;
            undecided = connecting;
            Future<?> waiting = retry;
            if (waiting != null) {
                waiting.cancel(false);
            }
        }
        HuddleFailure closed = new HuddleFailure(Reason.CLOSED);
        if (current != null) {
            current.end(closed, WebSocket.NORMAL_CLOSURE);
        }
        resources.executor().execute(() -> undecided.completeExceptionally(closed));
    }

    // Whatever a supplier throws is a failed attempt.
    private void attempt() {
        Connection next = new Connection(handlers, resources, timing);
        boolean supersede;
        Duration offset;
        synchronized (this) {
            if (state == State.CLOSED) {
                return;
            }
            connection = next;
            supersede = owner || options.isSuperseding();
            offset = clockOffset;
        }
        var unusedEnd = next.ended.thenAccept(cause -> ended(next, cause));
        var unusedStart = next.established.thenAccept(established -> established(next));
        CompletionStage<URI> address;
        try {
            address = credentials.handshake(options.profile(), supersede, offset);
        } catch (RuntimeException failed) {
            address = CompletableFuture.failedFuture(failed);
        }
        var unused = address.whenComplete((uri, failed) -> {
            if (failed != null) {
                next.end(Credentials.failure(failed), 0);
            } else {
                upgrade(next, uri);
            }
        });
    }

    private void upgrade(Connection next, URI uri) {
        if (next.isDead()) {
            return;
        }
        try {
            var unused = resources
                    .http()
                    .newWebSocketBuilder()
                    .subprotocols(SUBPROTOCOL)
                    .connectTimeout(timing.connect())
                    .buildAsync(uri, next)
                    .whenComplete((socket, failed) -> {
                        if (failed != null) {
                            next.end(HuddleFailure.ofUpgrade(failed), 0);
                        }
                    });
        } catch (RuntimeException failed) {
            next.end(HuddleFailure.ofUpgrade(failed), 0);
        }
    }

    private void established(Connection next) {
        CompletableFuture<Boolean> decided;
        synchronized (this) {
            if (connection != next || next.isDead() || state == State.CLOSED) {
                return;
            }
            state = State.CONNECTED;
            owner = true;
            establishedAt = System.nanoTime();
            decided = connecting;
        }
        callbacks.execute(() -> {
            tell(options.connected());
            decided.complete(true);
        });
    }

    private void ended(Connection last, HuddleFailure cause) {
        CompletableFuture<Boolean> undecided;
        boolean wasEstablished = !last.established.isCompletedExceptionally();
        boolean tells;
        Optional<Duration> delay;
        synchronized (this) {
            if (connection != last) {
                return;
            }
            connection = null;
            boolean first = state == State.CONNECTING;
            tells = !first && (wasEstablished || state == State.RECONNECTING);
            undecided = connecting;
            delay = next(cause, first, wasEstablished);
            if (state != State.CLOSED) {
                state = delay.isPresent() ? State.RECONNECTING : State.OFF;
            }
            if (delay.isPresent()) {
                connecting = new CompletableFuture<>();
                retry = resources.timers().after(delay.get(), this::attemptAgain);
            }
            if (cause.reason().isFinal() && cause.reason() != Reason.CLOSED) {
                owner = false;
            }
        }
        callbacks.execute(() -> {
            if (tells) {
                tell(() -> options.disconnected().accept(new Disconnected(cause, delay)));
            }
            undecided.completeExceptionally(cause);
        });
    }

    /** When to try again after this end; empty to stay off. */
    private Optional<Duration> next(HuddleFailure cause, boolean first, boolean wasEstablished) {
        if (first || state == State.CLOSED || cause.reason().isFinal() || !options.isReconnecting()) {
            return Optional.empty();
        }
        // A node that takes a client and drops it at once must not have it back at once, over and over.
        if (wasEstablished
                && System.nanoTime() - establishedAt > timing.lastRetry().toNanos()) {
            failures = 0;
        }
        OptionalLong told = Backoff.told(cause);
        if (told.isPresent()) {
            return Optional.of(Duration.ofMillis(told.getAsLong()));
        }
        return Optional.of(
                Backoff.delay(timing, failures++, ThreadLocalRandom.current().nextDouble()));
    }

    private void attemptAgain() {
        synchronized (this) {
            retry = null;
            if (state != State.RECONNECTING) {
                return;
            }
        }
        attempt();
    }

    // What the owner's callback throws is its own defect and must not stop the client.
    private void tell(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException failed) {
            handlers.defect("callback", failed);
        }
    }

    /** For one caller, who may cancel it; with the failure itself, where a copy would wrap it. */
    private static CompletableFuture<Boolean> outcome(CompletableFuture<Boolean> shared) {
        CompletableFuture<Boolean> own = new CompletableFuture<>();
        var unused = shared.whenComplete((connected, failed) -> {
            if (failed == null) {
                own.complete(connected);
            } else {
                own.completeExceptionally(failed);
            }
        });
        return own;
    }

    private synchronized @Nullable Connection current() {
        return state == State.CONNECTED ? connection : null;
    }

    private Connection connected() throws IOException {
        Connection current = current();
        if (current == null) {
            throw new IOException("not connected");
        }
        return current;
    }
}
