package io.huddle.client;

import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link HuddleClient} is to be: each method answers the same object, which is read when a client is made. Not for
 * several threads.
 */
public final class ClientOptions {
    private static final Set<String> RESERVED = Set.of(
            "pv",
            "_v",
            "appv",
            "ts",
            "nonce",
            "aud",
            "id",
            "cid",
            "signature",
            "cap",
            "supersede",
            "_supersede",
            "ticket");

    private final Map<String, String> metadata = new LinkedHashMap<>();
    private String audience = "";
    private String appVersion = "huddle-java";
    private boolean superseding;
    private boolean reconnecting = true;
    private Runnable connected = () -> {};
    private Consumer<Disconnected> disconnected = cause -> {};
    private BiConsumer<String, @Nullable Throwable> defects = ClientOptions::log;
    private @Nullable HttpClient http;
    private @Nullable Executor executor;
    private @Nullable ScheduledExecutorService scheduler;
    private Timing timing = Timing.PROTOCOL;

    private ClientOptions() {}

    public static ClientOptions defaults() {
        return new ClientOptions();
    }

    /** What a signature is made out for, if the server is configured with another audience than the stream's path. */
    public ClientOptions audience(String value) {
        audience = value;
        return this;
    }

    /** What the client says of itself. */
    public ClientOptions appVersion(String value) {
        appVersion = value;
        return this;
    }

    /**
     * A piece of metadata that goes with each handshake, in its address: keep it short, and send what is long or not for
     * the log of a proxy with {@code uSetMetadata}.
     *
     * @throws IllegalArgumentException if the name is one of the handshake's own, or if all of it exceeds 64 KiB
     */
    public ClientOptions metadata(String name, String value) {
        if (RESERVED.contains(name) || name.startsWith("m--") || name.isEmpty()) {
            throw new IllegalArgumentException("metadata cannot be named " + name);
        }
        metadata.put(name, value);
        int bytes = metadata.entrySet().stream()
                .mapToInt(entry -> bytes(entry.getKey()) + bytes(entry.getValue()))
                .sum();
        if (bytes > Limits.METADATA_BYTES) {
            metadata.remove(name);
            throw new IllegalArgumentException("metadata exceeds " + Limits.METADATA_BYTES + " bytes");
        }
        return this;
    }

    /** Takes over from another connection of this client id from the first connect on, instead of ending in conflict. */
    public ClientOptions supersede(boolean value) {
        superseding = value;
        return this;
    }

    /** Whether the client comes back by itself; true without. */
    public ClientOptions reconnect(boolean value) {
        reconnecting = value;
        return this;
    }

    /** Runs after each time the server counts the client as connected, before the future of connect completes. */
    public ClientOptions onConnected(Runnable callback) {
        connected = Objects.requireNonNull(callback);
        return this;
    }

    /**
     * Runs after each loss of a connection and after each attempt to get one back that failed. The failure of a first
     * connect only goes to its future.
     */
    public ClientOptions onDisconnected(Consumer<Disconnected> callback) {
        disconnected = Objects.requireNonNull(callback);
        return this;
    }

    /**
     * Hears what a handler or callback threw that is no {@link RemoteError}, with the method's name; without a cause the
     * handler gave a wrong or too large answer. By default a warning is logged that names the exception but not its text,
     * which may hold what must not be logged.
     */
    public ClientOptions onDefect(BiConsumer<String, @Nullable Throwable> callback) {
        defects = Objects.requireNonNull(callback);
        return this;
    }

    /** Opens the sockets. By default all clients of the JVM share one. */
    public ClientOptions httpClient(HttpClient value) {
        http = value;
        return this;
    }

    /**
     * Runs callbacks, handlers and stages of answers. By default all clients of the JVM share daemon threads that come and
     * go as needed. With {@code Runnable::run} everything runs on the threads of the sockets and timers, which is fast, and
     * then nothing of it may block.
     */
    public ClientOptions executor(Executor value) {
        executor = value;
        return this;
    }

    /**
     * Keeps the time. By default all clients share the JDK's own thread for delays. Each call has a timer, which is
     * cancelled with its answer: a {@link java.util.concurrent.ScheduledThreadPoolExecutor} needs
     * {@code setRemoveOnCancelPolicy(true)}, or it keeps each until its deadline.
     */
    public ClientOptions scheduler(ScheduledExecutorService value) {
        scheduler = value;
        return this;
    }

    ClientOptions timing(Timing value) {
        timing = value;
        return this;
    }

    Credentials.Profile profile() {
        return new Credentials.Profile(audience, appVersion, Map.copyOf(metadata));
    }

    Resources resources() {
        if (http == null && executor == null && scheduler == null) {
            return Resources.shared();
        }
        Resources shared = Resources.shared();
        Executor threads = executor == null ? shared.executor() : executor;
        return new Resources(http == null ? shared.http() : http, threads, new Timers(threads, scheduler));
    }

    Timing timing() {
        return timing;
    }

    boolean isSuperseding() {
        return superseding;
    }

    boolean isReconnecting() {
        return reconnecting;
    }

    Runnable connected() {
        return connected;
    }

    Consumer<Disconnected> disconnected() {
        return disconnected;
    }

    BiConsumer<String, @Nullable Throwable> defects() {
        return defects;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void log(String method, @Nullable Throwable cause) {
        StackTraceElement[] trace = cause == null ? new StackTraceElement[0] : cause.getStackTrace();
        System.getLogger("io.huddle.client")
                .log(
                        System.Logger.Level.WARNING,
                        "the handler of {0} failed: {1} at {2}",
                        method,
                        cause == null
                                ? "a wrong or too large answer"
                                : cause.getClass().getName(),
                        trace.length == 0 ? "an unknown place" : trace[0]);
    }
}
