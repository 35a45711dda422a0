package io.huddle.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.PingPong;
import io.huddle.wire.RequestAck;
import io.huddle.wire.ServerMessage;
import jakarta.json.Json;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A client of the stream as a test wants one: it does what it is told, right or wrong, and shows all it was sent. It never
 * reconnects and pings only when asked. For any thread.
 */
public final class StreamClient implements AutoCloseable {
    /** How messages travel. */
    public enum Codec {
        JSON("huddle.json.v1"),
        PROTOBUF("huddle.protobuf.v1");

        private final String subprotocol;

        Codec(String subprotocol) {
            this.subprotocol = subprotocol;
        }
    }

    /** How the stream ended. */
    public record Close(int code, String reason) {}

    /** The server answered a call with an error. */
    public static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean userError;

        private Failed(String error, boolean userError) {
            super(error);
            this.userError = userError;
        }

        public String error() {
            return String.valueOf(getMessage());
        }

        public boolean isUserError() {
            return userError;
        }
    }

    /** The upgrade was refused. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        private Refused(int status, Throwable cause) {
            super("the upgrade was refused with " + status, cause);
            this.status = status;
        }

        public int status() {
            return status;
        }
    }

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Codec codec;
    private final boolean receipts;
    private final AtomicInteger ids = new AtomicInteger();
    private final AtomicInteger pings = new AtomicInteger();
    private final List<ServerMessage> received = new CopyOnWriteArrayList<>();
    private final Map<String, CompletableFuture<Message>> pending = new ConcurrentHashMap<>();
    private final Map<String, Function<Message, CompletionStage<? extends Message>>> answers =
            new ConcurrentHashMap<>();
    private final CompletableFuture<Close> closed = new CompletableFuture<>();
    private final Object sending = new Object();
    private CompletableFuture<?> sent = CompletableFuture.completedFuture(null);
    private volatile @Nullable WebSocket socket;

    private StreamClient(Codec codec, boolean receipts) {
        this.codec = codec;
        this.receipts = receipts;
    }

    /** A connection to be made to the node, by default with JSON and protocol 3. */
    public static Draft to(Node node) {
        return to(node.port());
    }

    /** The same through a {@link TcpProxy}. */
    public static Draft to(int port) {
        return new Draft(port);
    }

    /** The participant's connection to which the answer of a join entitles, once. */
    public static Draft to(Node node, Answer joined) {
        return to(node).ticket(ticket(joined));
    }

    /** The ticket in the answer of a join. */
    public static String ticket(Answer joined) {
        return joined.json().getJsonObject("stream").getString("ticket");
    }

    /** The parameters of one connection, until it is made. Not for several threads. */
    public static final class Draft {
        private final int port;
        private final Map<String, String> query = new LinkedHashMap<>();
        private final Map<String, String> headers = new LinkedHashMap<>();
        private final Map<String, Function<Message, CompletionStage<? extends Message>>> answers =
                new LinkedHashMap<>();
        private Codec codec = Codec.JSON;
        private int protocol = 3;
        private @Nullable String client;
        private String secret = "";
        private Instant at = Instant.now();
        private String path = "/stream";

        private Draft(int port) {
            this.port = port;
        }

        public Draft codec(Codec wanted) {
            codec = wanted;
            return this;
        }

        /** With 4 every accepted request gets its receipt at once. */
        public Draft protocol(int version) {
            protocol = version;
            return this;
        }

        public Draft ticket(String ticket) {
            return with("ticket", ticket);
        }

        /** Signs with a client key when the connection is made. */
        public Draft signed(String clientId, String key) {
            client = clientId;
            secret = key;
            return this;
        }

        /** The time that a signature claims. */
        public Draft at(Instant time) {
            at = time;
            return this;
        }

        /** Any parameter of the query: metadata, {@code supersede}, or one that is wrong. */
        public Draft with(String name, String value) {
            query.put(name, value);
            return this;
        }

        public Draft header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /** How to answer requests of the server; before the first can arrive. */
        public <Q extends Message> Draft answer(Class<Q> request, Function<? super Q, ? extends Message> answer) {
            answers.put(
                    request.getSimpleName(),
                    sent -> CompletableFuture.completedFuture(answer.apply(request.cast(sent))));
            return this;
        }

        /** Connects and waits until the client counts as connected. */
        public StreamClient connect() {
            StreamClient stream = open();
            stream.awaitConnected();
            return stream;
        }

        /**
         * Connects without waiting for the activation.
         *
         * @throws Refused if the server did not upgrade
         */
        public StreamClient open() {
            StreamClient stream = new StreamClient(codec, protocol >= 4);
            stream.answers.putAll(answers);
            WebSocket.Builder builder =
                    Http.client().newWebSocketBuilder().connectTimeout(PATIENCE).subprotocols(codec.subprotocol);
            headers.forEach(builder::header);
            URI uri = URI.create("ws://localhost:" + port + path + "?" + queryString());
            try {
                stream.socket = builder.buildAsync(uri, stream.new Listener()).join();
            } catch (CompletionException failed) {
                if (failed.getCause() instanceof WebSocketHandshakeException refused) {
                    throw new Refused(refused.getResponse().statusCode(), refused);
                }
                throw failed;
            }
            return stream;
        }

        /** The HTTP status of the upgrade: 101, or what it was refused with. The stream is not kept. */
        public int status() {
            try {
                open().close();
                return 101;
            } catch (Refused refused) {
                return refused.status();
            }
        }

        private String queryString() {
            Map<String, String> all = new LinkedHashMap<>();
            all.put("pv", Integer.toString(protocol));
            all.putAll(query);
            if (client != null) {
                sign(client, all);
            }
            StringBuilder text = new StringBuilder();
            all.forEach((name, value) -> text.append(text.isEmpty() ? "" : "&")
                    .append(encode(name))
                    .append('=')
                    .append(encode(value)));
            return text.toString();
        }

        /** Metadata of a test has plain names, for which sorting by name is the canonical order. */
        private void sign(String clientId, Map<String, String> all) {
            Map<String, String> metadata = new TreeMap<>(all);
            List.of("pv", "appv", "ts", "nonce", "aud", "id", "cid", "signature", "cap", "supersede", "ticket")
                    .forEach(metadata::remove);
            all.put("cid", clientId);
            all.putIfAbsent("id", UUID.randomUUID().toString());
            all.putIfAbsent("appv", "test");
            all.putIfAbsent("aud", path);
            all.putIfAbsent("ts", Long.toString(at.toEpochMilli()));
            all.putIfAbsent("nonce", UUID.randomUUID().toString());
            var members = Json.createObjectBuilder();
            metadata.forEach(members::add);
            String text = Json.createObjectBuilder()
                    .add("version", 2)
                    .add("path", path)
                    .add("audience", all.getOrDefault("aud", ""))
                    .add("appv", all.getOrDefault("appv", ""))
                    .add("ts", all.getOrDefault("ts", ""))
                    .add("nonce", all.getOrDefault("nonce", ""))
                    .add("id", all.getOrDefault("id", ""))
                    .add("cid", clientId)
                    .add("protocol", all.getOrDefault("pv", ""))
                    .add("supersede", all.getOrDefault("supersede", "0"))
                    .add("capabilities", all.getOrDefault("cap", ""))
                    .add("metadata", members)
                    .build()
                    .toString();
            all.putIfAbsent("signature", hmac(secret, text));
        }

        private static String hmac(String key, String text) {
            try {
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
                return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        private static String encode(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }
    }

    /** Waits for the second ping of the server: from then on the client counts as connected. */
    public StreamClient awaitConnected() {
        Awaiting.until(PATIENCE, "connected", () -> {
            assertThat(closed).as("the stream while it connects").isNotDone();
            return pings.get() >= 2;
        });
        return this;
    }

    /** Sets how to answer requests of this kind from now on. */
    public <Q extends Message> StreamClient answer(Class<Q> request, Function<? super Q, ? extends Message> answer) {
        return answerLater(request, sent -> CompletableFuture.completedFuture(answer.apply(sent)));
    }

    /** The same with an answer that may come later or, with a stage that never completes, not at all. */
    public <Q extends Message> StreamClient answerLater(
            Class<Q> request, Function<? super Q, ? extends CompletionStage<? extends Message>> answer) {
        answers.put(request.getSimpleName(), sent -> answer.apply(request.cast(sent)));
        return this;
    }

    /** Calls and does not wait; the stage ends with {@link Failed} where the server answers an error. */
    public CompletableFuture<Message> callLater(Message request) {
        String id = "t" + ids.incrementAndGet();
        CompletableFuture<Message> answer = new CompletableFuture<>();
        pending.put(id, answer);
        var unused = send(request(id, request));
        return answer;
    }

    /** Calls and waits for the response of the same method. */
    public <T extends Message> T call(Message request, Class<T> response) {
        return response.cast(get(callLater(request)));
    }

    /** Calls and waits for the error that the server answers; fails with the response if it answers one. */
    public Failed fails(Message request) {
        try {
            throw new AssertionError("answered " + get(callLater(request)));
        } catch (Failed failed) {
            return failed;
        }
    }

    /** Sends one request under an id of the test's choice, for instance one that was used. */
    public CompletableFuture<?> send(String id, Message request) {
        return send(request(id, request));
    }

    /** Sends any message. */
    public CompletableFuture<?> send(ClientMessage message) {
        return codec == Codec.JSON ? sendText(json(message)) : sendBinary(message.toByteArray());
    }

    public CompletableFuture<?> sendText(String frame) {
        return enqueue(() -> socket().sendText(frame, true));
    }

    public CompletableFuture<?> sendBinary(byte[] frame) {
        return enqueue(() -> socket().sendBinary(ByteBuffer.wrap(frame), true));
    }

    public CompletableFuture<?> ping() {
        return send(ClientMessage.newBuilder()
                .setPingPong(PingPong.getDefaultInstance())
                .build());
    }

    /** How many pings the server has sent. */
    public int pings() {
        return pings.get();
    }

    /** Everything the server has sent so far, but pings. */
    public List<ServerMessage> received() {
        return List.copyOf(received);
    }

    /** The requests of one kind that the server has sent so far. */
    public <Q extends Message> List<Q> requests(Class<Q> kind) {
        List<Q> found = new ArrayList<>();
        for (ServerMessage message : received) {
            body(message).filter(kind::isInstance).map(kind::cast).ifPresent(found::add);
        }
        return found;
    }

    /** Waits for at least so many requests of one kind. */
    public <Q extends Message> List<Q> await(Class<Q> kind, int count) {
        return Awaiting.value(
                PATIENCE, count + " of " + kind.getSimpleName(), () -> requests(kind), all -> all.size() >= count);
    }

    public boolean isClosed() {
        return closed.isDone();
    }

    /** Waits for the end of the stream, whoever ended it; a connection that breaks without a close frame is 1006. */
    public Close awaitClose() {
        return awaitClose(PATIENCE);
    }

    public Close awaitClose(Duration patience) {
        try {
            return closed.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException late) {
            throw new AssertionError("the stream is not closed after " + patience, late);
        } catch (InterruptedException interrupted) {
            throw Processes.interrupted(interrupted);
        }
    }

    /** Closes with 1000, as a page does that is left. */
    public void goodbye() {
        var unused = enqueue(() -> socket().sendClose(WebSocket.NORMAL_CLOSURE, ""));
        assertThat(awaitClose().code()).isEqualTo(WebSocket.NORMAL_CLOSURE);
    }

    /** Breaks the connection without a close frame. */
    public void abort() {
        socket().abort();
        end(new Close(1006, "aborted"));
    }

    @Override
    public void close() {
        if (!isClosed()) {
            abort();
        }
    }

    private WebSocket socket() {
        WebSocket open = socket;
        if (open == null) {
            throw new IllegalStateException("not connected");
        }
        return open;
    }

    /** The socket takes one send at a time. */
    private CompletableFuture<?> enqueue(java.util.function.Supplier<CompletableFuture<?>> send) {
        synchronized (sending) {
            sent = sent.handle((done, failed) -> null).thenCompose(done -> send.get());
            return sent;
        }
    }

    private static ClientMessage request(String id, Message request) {
        return ClientMessage.newBuilder()
                .setRequestId(id)
                .setField(field(request), request)
                .build();
    }

    private static FieldDescriptor field(Message body) {
        return ClientMessage.getDescriptor().getFields().stream()
                .filter(field -> field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                        && field.getMessageType().equals(body.getDescriptorForType()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no client sends " + body));
    }

    private static java.util.Optional<Message> body(ServerMessage message) {
        return message.getAllFields().entrySet().stream()
                .filter(field -> field.getKey().getContainingOneof() != null
                        && field.getKey().getContainingOneof().getName().equals("body"))
                .map(field -> (Message) field.getValue())
                .findFirst();
    }

    private void take(ServerMessage message) {
        if (message.hasPingPong()) {
            pings.incrementAndGet();
            return;
        }
        received.add(message);
        if (message.getReply()) {
            CompletableFuture<Message> answer = pending.remove(message.getRequestId());
            if (answer != null) {
                resolve(answer, message);
            }
        } else if (!message.hasRequestAck() && !message.hasByteStreamOperation()) {
            body(message).ifPresent(request -> answer(message.getRequestId(), request));
        }
    }

    private static void resolve(CompletableFuture<Message> answer, ServerMessage message) {
        if (message.hasError()) {
            answer.completeExceptionally(new Failed(message.getError(), message.getUserError()));
        } else {
            body(message)
                    .ifPresentOrElse(
                            answer::complete,
                            () -> answer.completeExceptionally(new AssertionError("a reply without body: " + message)));
        }
    }

    private void answer(String id, Message request) {
        if (receipts) {
            var unused = send(ClientMessage.newBuilder()
                    .setRequestId(id)
                    .setRequestAck(RequestAck.getDefaultInstance())
                    .build());
        }
        Function<Message, CompletionStage<? extends Message>> how =
                answers.get(request.getClass().getSimpleName());
        ClientMessage.Builder reply =
                ClientMessage.newBuilder().setRequestId(id).setReply(true);
        if (how == null) {
            var unused = send(reply.setError("unknown-method").build());
            return;
        }
        CompletionStage<? extends Message> answered;
        try {
            answered = how.apply(request);
        } catch (RuntimeException refused) {
            answered = CompletableFuture.failedFuture(refused);
        }
        answered.whenComplete((response, failed) -> {
            if (failed == null) {
                var unused = send(reply.setField(field(response), response).build());
            } else {
                var unused = send(reply.setError(String.valueOf(failed.getMessage()))
                        .setUserError(failed instanceof IllegalArgumentException)
                        .build());
            }
        });
    }

    private static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Failed error) {
                throw error;
            }
            throw new AssertionError("a call failed", failed);
        } catch (TimeoutException late) {
            throw new AssertionError("no answer after " + PATIENCE, late);
        } catch (InterruptedException interrupted) {
            throw Processes.interrupted(interrupted);
        }
    }

    private static String json(ClientMessage message) {
        try {
            return JsonFormat.printer().omittingInsignificantWhitespace().print(message);
        } catch (InvalidProtocolBufferException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void end(Close how) {
        if (closed.complete(how)) {
            pending.values()
                    .forEach(
                            answer -> answer.completeExceptionally(new AssertionError("the stream ended with " + how)));
        }
    }

    /** Gathers fragments; a frame that is no message ends the test's client and shows in the close. */
    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();
        private ByteString bytes = ByteString.EMPTY;

        @Override
        public void onOpen(WebSocket opened) {
            // The first messages come before the builder's future completes.
            socket = opened;
            opened.request(1);
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                ServerMessage.Builder message = ServerMessage.newBuilder();
                try {
                    JsonFormat.parser().merge(text.toString(), message);
                    take(message.build());
                } catch (InvalidProtocolBufferException unreadable) {
                    end(new Close(0, "unreadable: " + unreadable.getMessage()));
                }
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer part, boolean last) {
            bytes = bytes.concat(ByteString.copyFrom(part));
            if (last) {
                try {
                    take(ServerMessage.parseFrom(bytes));
                } catch (InvalidProtocolBufferException unreadable) {
                    end(new Close(0, "unreadable: " + unreadable.getMessage()));
                }
                bytes = ByteString.EMPTY;
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            end(new Close(code, reason));
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable failed) {
            end(new Close(1006, String.valueOf(failed)));
        }
    }
}
