package io.huddle.stream;

import io.huddle.security.ClientKeyDeleted;
import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import io.huddle.web.Traces;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
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

    /** Of dead streams whose last frame is still being written, by connection id: when it is not any more. */
    private final ConcurrentMap<String, CompletableFuture<Void>> fading = new ConcurrentHashMap<>();

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
    private Event<ClientReserving> reserving;

    @Inject
    private Event<ClientActivating> activating;

    @Inject
    private Event<ClientConnecting> connecting;

    @Inject
    private Event<StreamOpened> opened;

    @Inject
    private Event<StreamEnded> ended;

    @Resource
    private ManagedExecutorService executor;

    @Resource
    private ManagedScheduledExecutorService scheduler;

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
        services = new Services(limits, dispatcher, metrics, traffic, traces, sockets::close, pauses, this::leftBehind);
    }

    /** The public stream of this client id on this node. */
    public Optional<ClientStream> find(String clientId) {
        return Optional.ofNullable(owners.get(clientId)).filter(ClientStream::isPublic);
    }

    /** All streams of this node that own their client id; a view that is safe to walk while it changes. */
    public Collection<ClientStream> all() {
        return Collections.unmodifiableCollection(owners.values());
    }

    /** How many streams are public. */
    public int count() {
        return (int) owners.values().stream().filter(ClientStream::isPublic).count();
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

    /** A connection has opened: activates it on another thread. The handshake's place is given back. */
    ClientStream admit(Handshake handshake, Codec codec, Outbox.Wire wire, ClientStream.Closer closer) {
        Services mine = services;
        if (mine == null) {
            throw new IllegalStateException("a stream before the node was ready");
        }
        ClientStream stream = new ClientStream(handshake, codec, mine, wire, closer);
        open.add(stream);
        if (draining) {
            // Its handshake began before; whoever drained may not have seen it.
            sendAway(stream);
        }
        execute(() -> reserve(stream));
        return stream;
    }

    private void reserve(ClientStream stream) {
        boolean isOver = true;
        try {
            ClientReserving asked = new ClientReserving(stream);
            isOver = !isCarriedOut(stream, () -> {
                reserving.fire(asked);
                takeOver(stream);
            });
            if (!isOver) {
                after(asked.held(), () -> activate(stream));
            }
        } finally {
            if (isOver) {
                leave();
            }
        }
    }

    private void activate(ClientStream stream) {
        try {
            boolean isActive = isCarriedOut(stream, () -> {
                // Another may have been the owner since, or it may have ended.
                takeOver(stream);
                stream.greet();
                activating.fire(new ClientActivating(stream));
                connecting.fire(new ClientConnecting(stream));
            });
            if (isActive && stream.publish()) {
                tell(() -> opened.fire(new StreamOpened(stream)));
                stream.begin();
            }
        } finally {
            leave();
        }
    }

    /** False if the stream was turned away, which it has been told. */
    private static boolean isCarriedOut(ClientStream stream, Runnable step) {
        try {
            step.run();
            return true;
        } catch (ClientConnecting.Rejected rejected) {
            stream.close(rejected.cause(), String.valueOf(rejected.getMessage()));
        } catch (RuntimeException failed) {
            LOG.log(Level.WARNING, "a stream was not connected because an observer failed", failed);
            stream.close(CloseCause.NO_CAPACITY, "try again");
        }
        return false;
    }

    private void after(Duration hold, Runnable step) {
        if (hold.isZero()) {
            step.run();
            return;
        }
        try {
            var unused = scheduler.schedule(step, hold.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            LOG.log(Level.FINE, "the server stops; nobody is held any more", stopping);
            step.run();
        }
    }

    /**
     * Makes the stream the owner of its client id on this node. An older owner is dead before this returns, and its last
     * frame may still be under way: see {@link ClientStream#fence}. Idempotent.
     *
     * @throws ClientConnecting.Rejected if the owner here is newer, or lives and need not make way
     */
    public void takeOver(ClientStream stream) {
        Standing standing = claim(stream);
        if (standing != Standing.OWNER) {
            throw new ClientConnecting.Rejected(standing.cause(), standing.reason());
        }
        if (stream.isDead()) {
            owners.remove(stream.clientId(), stream);
            throw new ClientConnecting.Rejected(CloseCause.NORMAL, "");
        }
    }

    /** The stream of this client id and connection on this node, public or not, if it lives. */
    public Optional<ClientStream> find(String clientId, String connectionId) {
        return locate(clientId, connectionId).filter(stream -> !stream.isDead());
    }

    private Optional<ClientStream> locate(String clientId, String connectionId) {
        ClientStream owner = owners.get(clientId);
        if (owner != null && owner.connectionId().equals(connectionId)) {
            return Optional.of(owner);
        }
        // One that opened and has not taken its id yet.
        return open.stream()
                .filter(stream -> stream.connectionId().equals(connectionId))
                .findAny();
    }

    /**
     * Ends this exact connection because a newer one takes its client id. Tells observers on this thread.
     *
     * @return completes when nothing is being written to its socket any more; empty if this node has no such connection,
     *     and nothing is being written to it
     */
    public Optional<CompletionStage<Void>> fence(String clientId, String connectionId) {
        // Those that fade last, for this is where the others go.
        return locate(clientId, connectionId)
                .map(ClientStream::fence)
                .or(() -> Optional.ofNullable(fading.get(connectionId)).map(CompletableFuture::copy));
    }

    /** True if a live connection of this client id is on this node, public or in its handshake, the one named aside. */
    public boolean isHere(String clientId, String otherThan) {
        return open.stream()
                .anyMatch(stream -> stream.clientId().equals(clientId)
                        && !stream.connectionId().equals(otherThan)
                        && !stream.isDead());
    }

    /** True while the node sends its clients away. */
    public boolean isDraining() {
        return draining;
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
            if (owner == null || owner == stream) {
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
        long order = stream.order();
        long owned = owner.order();
        if (order == 0 || owned == 0) {
            // Nothing is known of which is newer but that this one comes now.
            order = owned;
        }
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

    private void leftBehind(ClientStream stream, boolean wasPublic) {
        CompletableFuture<Void> quiet = stream.quiet().toCompletableFuture();
        if (!quiet.isDone()) {
            // Without the stream, whose memory is not to wait for a peer that takes nothing.
            String connection = stream.connectionId();
            fading.put(connection, quiet);
            var unused = quiet.whenComplete((nothing, failed) -> fading.remove(connection, quiet));
        }
        open.remove(stream);
        owners.remove(stream.clientId(), stream);
        execute(() -> tell(() -> ended.fire(new StreamEnded(stream, stream.cause(), wasPublic))));
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

    /**
     * Sends every client away, each after a delay of its own, so that they do not come to the other nodes all at once, and
     * lets none in any more. Idempotent.
     */
    public void drain() {
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
