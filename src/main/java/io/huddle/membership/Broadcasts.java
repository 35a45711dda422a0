package io.huddle.membership;

import io.huddle.membership.Membership.Broadcast;
import io.huddle.membership.Membership.Lease;
import io.huddle.registry.RegistryUnavailable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Broadcasts of this node and of the others. Best effort: what waits is bounded, and what comes above that is dropped and
 * counted. A message counts as waiting from its arrival until all its handlers have returned.
 */
final class Broadcasts {
    /** What became of a message that arrived. */
    enum Outcome {
        DELIVERED,
        MALFORMED,
        STRANGER,
        OVERFLOW,
        FAILED
    }

    static final String CHANNEL = "broadcast";

    private static final Logger LOG = Logger.getLogger(Broadcasts.class.getName());
    private static final long MOST_WAITING_CHARS = 64L * 1_048_576;
    private static final int MOST_WAITING = 4_096;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long RETRY_MS = 1_000;

    private final MembershipBackend backend;
    private final Member member;
    private final Neighbours neighbours;
    private final Alarms alarms;
    private final Consumer<Outcome> outcomes;
    private final int handlersAtOnce;
    private final Map<String, List<Consumer<Broadcast>>> handlers = new ConcurrentHashMap<>();

    private final Object lock = new Object();
    private final Queue<Envelope> due = new ArrayDeque<>();
    private int waiting;
    private long waitingChars;
    private int runners;
    private boolean running;
    private @Nullable AutoCloseable subscription;

    Broadcasts(
            MembershipBackend backend,
            Member member,
            Neighbours neighbours,
            Alarms alarms,
            Consumer<Outcome> outcomes,
            int handlersAtOnce) {
        this.backend = backend;
        this.member = member;
        this.neighbours = neighbours;
        this.alarms = alarms;
        this.outcomes = outcomes;
        this.handlersAtOnce = handlersAtOnce;
    }

    void start() {
        synchronized (lock) {
            running = true;
        }
        subscribe();
    }

    void stop() {
        AutoCloseable open;
        synchronized (lock) {
            running = false;
            open = subscription;
            subscription = null;
        }
        close(open);
    }

    void on(String type, Consumer<Broadcast> handler) {
        handlers.computeIfAbsent(type, key -> new CopyOnWriteArrayList<>()).add(handler);
    }

    CompletionStage<Void> send(String type, String json, boolean skipSelf) {
        Optional<Lease> lease = member.lease();
        if (lease.isEmpty()) {
            return CompletableFuture.failedFuture(new RegistryUnavailable(
                    "not sent: this node is no member now", new IllegalStateException("no lease")));
        }
        String text = new Envelope(type, lease.get().number(), lease.get().process(), json).encode();
        if (!skipSelf) {
            hear(text, true);
        }
        return alarms.within(PATIENCE, () -> backend.publish(CHANNEL, text));
    }

    private void subscribe() {
        alarms.within(PATIENCE, () -> {
                    CompletionStage<AutoCloseable> asked = backend.subscribe(CHANNEL, text -> hear(text, false));
                    asked.thenAccept(this::subscribed);
                    return asked;
                })
                .whenComplete((open, failed) -> {
                    if (failed != null && isRunning()) {
                        alarms.inMs(RETRY_MS, this::subscribe);
                    }
                });
    }

    /** Also of an attempt that was given up: two subscriptions would deliver everything twice. */
    private void subscribed(AutoCloseable open) {
        AutoCloseable superfluous = open;
        synchronized (lock) {
            if (running && subscription == null) {
                subscription = open;
                superfluous = null;
            }
        }
        close(superfluous);
    }

    private boolean isRunning() {
        synchronized (lock) {
            return running && subscription == null;
        }
    }

    private static void close(@Nullable AutoCloseable open) {
        if (open == null) {
            return;
        }
        try {
            open.close();
        } catch (Exception failed) {
            LOG.log(Level.FINE, "a subscription was not ended", failed);
        }
    }

    private void hear(String text, boolean isLocal) {
        Envelope envelope = Envelope.decode(text).orElse(null);
        if (envelope == null) {
            outcomes.accept(Outcome.MALFORMED);
            return;
        }
        boolean isOwn = envelope.process().equals(member.process());
        if (isOwn != isLocal || !handlers.containsKey(envelope.type())) {
            return;
        }
        if (!take(envelope)) {
            outcomes.accept(Outcome.OVERFLOW);
            return;
        }
        if (isLocal) {
            deliver(envelope);
            return;
        }
        neighbours.find(envelope.number()).whenComplete((sender, failed) -> {
            if (failed == null
                    && sender.filter(node -> node.process().equals(envelope.process()))
                            .isPresent()) {
                deliver(envelope);
            } else {
                release(envelope);
                outcomes.accept(Outcome.STRANGER);
            }
        });
    }

    private boolean take(Envelope envelope) {
        synchronized (lock) {
            int size = envelope.data().length();
            if (waiting >= MOST_WAITING || waitingChars + size > MOST_WAITING_CHARS) {
                return false;
            }
            waiting++;
            waitingChars += size;
            return true;
        }
    }

    private void release(Envelope envelope) {
        synchronized (lock) {
            waiting--;
            waitingChars -= envelope.data().length();
        }
    }

    private void deliver(Envelope envelope) {
        synchronized (lock) {
            due.add(envelope);
            if (runners < handlersAtOnce) {
                runners++;
                alarms.now(this::run);
            }
        }
    }

    private void run() {
        for (Envelope envelope = next(); envelope != null; envelope = next()) {
            try {
                handle(envelope);
            } finally {
                release(envelope);
            }
        }
    }

    private @Nullable Envelope next() {
        synchronized (lock) {
            Envelope envelope = due.poll();
            if (envelope == null) {
                runners--;
            }
            return envelope;
        }
    }

    private void handle(Envelope envelope) {
        Broadcast broadcast = new Broadcast(envelope.type(), envelope.data(), envelope.number());
        for (Consumer<Broadcast> handler : handlers.getOrDefault(envelope.type(), List.of())) {
            try {
                handler.accept(broadcast);
                outcomes.accept(Outcome.DELIVERED);
            } catch (RuntimeException | Error failed) {
                // An error, too, concerns this message alone: the runner goes on with the next.
                outcomes.accept(Outcome.FAILED);
                LOG.log(Level.WARNING, "a handler of broadcasts failed", failed);
            }
        }
    }
}
