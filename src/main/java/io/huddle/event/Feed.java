package io.huddle.event;

import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.Database;
import io.huddle.store.DatabaseReady;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Tells subscribers of this node that their room has something new. Safe for use by any thread.
 *
 * <p>A notification is a hint: what is sent is always read from the database, so nothing is lost with a hint. Changes made
 * on this node are hinted at once, those of other nodes when they say so, and at the latest by polling the numbers of the
 * rooms that have subscribers here. One delivery a subscriber at a time; hints that come meanwhile lead to one more.
 */
@ApplicationScoped
public class Feed {
    private static final Logger LOG = Logger.getLogger(Feed.class.getName());
    private static final String NUMBERS = "SELECT id, seq FROM room WHERE id = ANY (?)";
    private static final int ROOMS_A_QUERY = 1_000;

    private final int most = Setting.EVENT_SUBSCRIBERS.value();
    private final AtomicInteger count = new AtomicInteger();
    private final Map<String, Set<Subscription>> rooms = new ConcurrentHashMap<>();

    @Inject
    private Database database;

    @Inject
    private Background background;

    @Resource
    private ManagedExecutorService executor;

    @Resource
    private ManagedThreadFactory threads;

    /**
     * At SIGTERM the server waits for its open connections before it stops the application, and live readers never finish by
     * themselves; so they are let go as soon as the process is told to end.
     */
    private volatile @Nullable Thread exit;

    private volatile boolean ending;

    /** A subscriber's place in the feed; {@link #end()} takes it out. */
    public final class Subscription {
        private final String room;
        private final Subscriber subscriber;
        private final AtomicInteger pending = new AtomicInteger();
        private volatile boolean ended;

        private Subscription(String room, Subscriber subscriber) {
            this.room = room;
            this.subscriber = subscriber;
        }

        /** Says that there may be something new. */
        public void hint() {
            if (!ended && pending.getAndIncrement() == 0) {
                run();
            }
        }

        private void run() {
            try {
                executor.execute(this::deliver);
            } catch (RejectedExecutionException full) {
                // Awake for the next hint: the poll finds within its interval that the subscriber is behind.
                pending.set(0);
                LOG.log(Level.FINE, "a delivery was put off", full);
            }
        }

        private void deliver() {
            int seen = pending.get();
            delivery().whenComplete((done, failed) -> {
                if (failed != null) {
                    end();
                } else if (!ended && !pending.compareAndSet(seen, 0)) {
                    pending.set(1);
                    run();
                }
            });
        }

        private CompletionStage<Void> delivery() {
            try {
                return subscriber.deliver();
            } catch (RuntimeException thrown) {
                return CompletableFuture.failedFuture(thrown);
            }
        }

        /** Takes the subscriber out; idempotent. */
        public void end() {
            if (!ended) {
                ended = true;
                remove(this);
            }
        }
    }

    void start(@Observes DatabaseReady ready) {
        Duration pause = Duration.ofMillis(Setting.EVENT_POLL_MS.value());
        background.repeat("the poll for new events", pause, pause, this::poll);
        Thread hook = threads.newThread(this::endAll);
        exit = hook;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    @PreDestroy
    void stop() {
        try {
            Thread hook = exit;
            if (hook != null) {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        } catch (IllegalStateException exiting) {
            LOG.fine("the process is ending already");
        }
        endAll();
    }

    private void endAll() {
        ending = true;
        rooms.values()
                .forEach(all -> all.forEach(subscription -> {
                    subscription.subscriber.end();
                    subscription.end();
                }));
    }

    /**
     * Takes a subscriber in and delivers what it lacks.
     *
     * @throws Refused {@code unavailable} if this node has as many subscribers as it may have, or is about to stop
     */
    public Subscription subscribe(String room, Subscriber subscriber) {
        refuseWhileEnding();
        if (count.incrementAndGet() > most) {
            count.decrementAndGet();
            throw new Refused(
                    Refusal.UNAVAILABLE,
                    "this node has as many live readers as it may have; ask by query, or try again");
        }
        Subscription subscription = new Subscription(room, subscriber);
        rooms.compute(room, (id, known) -> {
            Set<Subscription> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(subscription);
            return all;
        });
        if (ending) {
            // It came in between the last look and the end of all.
            subscription.end();
            refuseWhileEnding();
        }
        subscription.hint();
        return subscription;
    }

    /** A reader that was let go comes back at once: on this node it would hold up the stop. */
    private void refuseWhileEnding() {
        if (ending) {
            throw new Refused(Refusal.UNAVAILABLE, "this node is stopping; another one, or a later try, will answer");
        }
    }

    void hint(@Observes(during = TransactionPhase.AFTER_SUCCESS) Appended appended) {
        hint(appended.event().room());
    }

    private void hint(String room) {
        Set<Subscription> subscribers = rooms.get(room);
        if (subscribers != null) {
            subscribers.forEach(Subscription::hint);
        }
    }

    /** Another node says that the room has come to this number. Who has it already is left alone. */
    void hint(String room, long seq) {
        Set<Subscription> subscribers = rooms.get(room);
        if (subscribers != null) {
            for (Subscription subscription : subscribers) {
                if (subscription.subscriber.position() < seq) {
                    subscription.hint();
                }
            }
        }
    }

    private void remove(Subscription subscription) {
        rooms.computeIfPresent(subscription.room, (id, all) -> {
            if (all.remove(subscription)) {
                count.decrementAndGet();
            }
            return all.isEmpty() ? null : all;
        });
    }

    private void poll() throws SQLException {
        String[] watched = rooms.keySet().toArray(new String[0]);
        for (int from = 0; from < watched.length; from += ROOMS_A_QUERY) {
            int to = Math.min(watched.length, from + ROOMS_A_QUERY);
            poll(java.util.Arrays.copyOfRange(watched, from, to));
        }
    }

    private void poll(String[] watched) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(NUMBERS)) {
            query.setArray(1, connection.createArrayOf("VARCHAR", watched));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    hintOff(row.getString(1), row.getLong(2));
                }
            }
        }
    }

    private void hintOff(String room, long seq) {
        Set<Subscription> subscribers = rooms.get(room);
        if (subscribers != null) {
            for (Subscription subscription : subscribers) {
                if (subscription.subscriber.position() != seq) {
                    subscription.hint();
                }
            }
        }
    }
}
