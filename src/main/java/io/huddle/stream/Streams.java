package io.huddle.stream;

import io.huddle.security.ClientKeyDeleted;
import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import io.huddle.web.Traces;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The streams of this node: admission, activation in its order, who owns a client id, the end. Safe for use by any thread.
 *
 * <p>A client id has one owner. A newer connection that may supersede fences the old one first, which is dead from that
 * moment, and then takes its place; one that may not is turned away while the owner lives.
 */
@ApplicationScoped
public class Streams {
    private static final Logger LOG = Logger.getLogger(Streams.class.getName());
    private static final Duration WATCH = Duration.ofSeconds(1);

    private final int most = Setting.STREAMS.value();
    private final int drainSpreadMs = Setting.STREAM_DRAIN_SPREAD_MS.value();
    private final int mostHandshakes = Setting.STREAM_HANDSHAKES.value();
    private final Semaphore handshakes = new Semaphore(mostHandshakes);
    private final Semaphore pauses = new Semaphore(Setting.STREAM_PAUSED_READERS.value());
    private final Limits limits = Limits.configured();
    private final Set<ClientStream> open = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<String, ClientStream> owners = new ConcurrentHashMap<>();

    @Inject
    private Dispatcher dispatcher;

    @Inject
    private StreamMetrics metrics;

    @Inject
    private Traffic traffic;

    @Inject
    private Traces traces;

    @Inject
    private Background background;

    @Inject
    private Event<ClientConnecting> connecting;

    @Inject
    private Event<ClientConnected> connected;

    @Inject
    private Event<ClientDisconnected> disconnected;

    @Resource
    private ManagedExecutorService executor;

    @Resource
    private ManagedThreadFactory threads;

    private volatile @Nullable Services services;
    private volatile @Nullable Closers closers;
    private volatile boolean draining;

    /**
     * At SIGTERM the server waits for its connections before it stops the application, and streams never finish by
     * themselves; so clients are sent away as soon as the process is told to end.
     */
    private volatile @Nullable Thread exit;

    void start(@Observes DatabaseReady ready) {
        dispatcher.prepare();
        for (Codec codec : Codec.values()) {
            metrics.gauge(
                    codec,
                    () -> owners.values().stream()
                            .filter(stream -> stream.isPublic() && stream.codec() == codec)
                            .count());
        }
        metrics.pending(() -> mostHandshakes - handshakes.availablePermits());
        background.repeat("the watch over streams", WATCH, WATCH, this::watch);
        Duration liveness = Duration.ofSeconds(Setting.STREAM_LIVENESS_SECONDS.value());
        background.repeat("the search for silent streams", liveness, liveness, this::judge);
        Thread hook = threads.newThread(this::drain);
        exit = hook;
        Runtime.getRuntime().addShutdownHook(hook);
        Closers sockets = new Closers(threads);
        closers = sockets;
        services = new Services(limits, dispatcher, metrics, traffic, traces, sockets::close, pauses, this::ended);
    }

    /** The public stream of this client id on this node. */
    public Optional<ClientStream> find(String clientId) {
        return Optional.ofNullable(owners.get(clientId)).filter(ClientStream::isPublic);
    }

    /** All streams of this node that own their client id; a view that is safe to walk while it changes. */
    public Collection<ClientStream> all() {
        return Collections.unmodifiableCollection(owners.values());
    }

    Limits limits() {
        return limits;
    }

    /**
     * A place for one more handshake, to be given back by {@link #leave()} when its stream is public or was refused.
     *
     * @return false if the node has as many handshakes or streams as it may have, drains, or is not ready
     */
    boolean enter() {
        if (draining || services == null || open.size() >= most) {
            metrics.hit(draining ? "draining" : "streams");
            return false;
        }
        if (!handshakes.tryAcquire()) {
            metrics.hit("handshakes");
            return false;
        }
        return true;
    }

    void leave() {
        handshakes.release();
    }

    /** A connection has opened: greets it and activates it on another thread. The handshake's place is given back. */
    ClientStream admit(Handshake handshake, Codec codec, Outbox.Wire wire, ClientStream.Closer closer) {
        Services mine = services;
        if (mine == null) {
            throw new IllegalStateException("a stream before the node was ready");
        }
        ClientStream stream = new ClientStream(handshake, codec, mine, wire, closer);
        open.add(stream);
        stream.greet();
        if (draining) {
            // Its handshake began before; whoever drained may not have seen it.
            sendAway(stream);
        }
        execute(() -> {
            try {
                activate(stream);
            } finally {
                leave();
            }
        });
        return stream;
    }

    private void activate(ClientStream stream) {
        Standing standing = claim(stream);
        if (standing != Standing.OWNER) {
            stream.close(standing.cause(), standing.reason());
            return;
        }
        if (stream.isDead()) {
            owners.remove(stream.clientId(), stream);
            return;
        }
        try {
            connecting.fire(new ClientConnecting(stream));
        } catch (ClientConnecting.Rejected rejected) {
            stream.close(rejected.cause(), String.valueOf(rejected.getMessage()));
            return;
        } catch (RuntimeException failed) {
            LOG.log(Level.WARNING, "a stream was not connected because an observer failed", failed);
            stream.close(CloseCause.NO_CAPACITY, "try again");
            return;
        }
        if (stream.publish()) {
            tell(() -> connected.fire(new ClientConnected(stream)));
            stream.begin();
        }
    }

    /** How a claim of a client id ended. */
    private enum Standing {
        OWNER(CloseCause.NORMAL, ""),
        CONFLICT(CloseCause.CONFLICT, "the client is connected already"),
        OLDER(CloseCause.SUPERSEDED, "a newer generation is connected"),
        BUSY(CloseCause.NO_CAPACITY, "another connection of the client is being made; try again");

        private final CloseCause cause;
        private final String reason;

        Standing(CloseCause cause, String reason) {
            this.cause = cause;
            this.reason = reason;
        }

        CloseCause cause() {
            return cause;
        }

        String reason() {
            return reason;
        }
    }

    private Standing claim(ClientStream stream) {
        while (true) {
            ClientStream owner = owners.putIfAbsent(stream.clientId(), stream);
            if (owner == null) {
                return Standing.OWNER;
            }
            Standing standing = judge(stream, owner);
            if (standing != Standing.OWNER) {
                return standing;
            }
            // Dead first; only then the newer one takes its place.
            owner.close(CloseCause.SUPERSEDED, "a newer connection has taken over");
            if (owners.replace(stream.clientId(), owner, stream)) {
                return Standing.OWNER;
            }
        }
    }

    private static Standing judge(ClientStream stream, ClientStream owner) {
        if (owner.isDead()) {
            return Standing.OWNER;
        }
        long order = stream.handshake().order();
        long owned = owner.handshake().order();
        if (order < owned) {
            return Standing.OLDER;
        }
        if (order > owned) {
            return Standing.OWNER;
        }
        if (!stream.handshake().supersede()) {
            return Standing.CONFLICT;
        }
        return owner.isPublic() ? Standing.OWNER : Standing.BUSY;
    }

    private void ended(ClientStream stream, boolean wasPublic) {
        open.remove(stream);
        owners.remove(stream.clientId(), stream);
        if (wasPublic) {
            execute(() -> tell(() -> disconnected.fire(new ClientDisconnected(stream, stream.cause()))));
        }
    }

    void forget(@Observes(during = TransactionPhase.AFTER_SUCCESS) ClientKeyDeleted deleted) {
        forget(deleted.client());
    }

    /** The key of a client is gone: its connection to this node, if it has one, ends with it. */
    public void forget(String client) {
        ClientStream owner = owners.get(client);
        if (owner != null) {
            owner.close(CloseCause.OPERATOR, "the client's key was deleted");
        }
    }

    private void watch() {
        long now = System.nanoTime();
        open.forEach(stream -> stream.watch(now));
    }

    private void judge() {
        long now = System.nanoTime();
        open.forEach(stream -> stream.judge(now));
    }

    /** Sends every client away, each after a delay of its own, so that they do not come to the other nodes all at once. */
    private void drain() {
        draining = true;
        open.forEach(this::sendAway);
    }

    private void sendAway(ClientStream stream) {
        int delay = ThreadLocalRandom.current().nextInt(drainSpreadMs + 1);
        stream.close(CloseCause.DRAINING, Integer.toString(delay));
    }

    @PreDestroy
    void stop() {
        Thread hook = exit;
        try {
            if (hook != null) {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        } catch (IllegalStateException ending) {
            LOG.log(Level.FINE, "the process is ending", ending);
        }
        drain();
        Closers sockets = closers;
        if (sockets != null) {
            sockets.stop();
        }
    }

    private void tell(Runnable fire) {
        try {
            fire.run();
        } catch (RuntimeException failed) {
            LOG.log(Level.SEVERE, "an observer of streams failed", failed);
        }
    }

    /** While the server stops, its executor takes no more: the work is done by whoever brings it. */
    private void execute(Runnable work) {
        try {
            executor.execute(work);
        } catch (RejectedExecutionException full) {
            LOG.log(Level.FINE, "the executor takes no more", full);
            work.run();
        }
    }
}
