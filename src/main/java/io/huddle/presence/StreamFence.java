package io.huddle.presence;

import io.huddle.event.Appended;
import io.huddle.event.EventType;
import io.huddle.event.RoomEvent;
import io.huddle.mesh.GenerationFence;
import io.huddle.presence.Standing.End;
import io.huddle.security.Identity;
import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import io.huddle.stream.ClientStream;
import io.huddle.stream.CloseCause;
import io.huddle.stream.StreamEnded;
import io.huddle.stream.Streams;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Ends participants' streams whose session has ended or has a newer generation. Safe for use by any thread.
 *
 * <p>What this node writes is seen at once; what others write is found by one query a second over the sessions of this
 * node's streams, so that a fence comes within two seconds whichever node wrote it. A hint that is lost costs that second.
 */
@ApplicationScoped
public class StreamFence implements GenerationFence {
    private static final Logger LOG = Logger.getLogger(StreamFence.class.getName());
    private static final int SESSIONS_A_QUERY = 1_000;

    /** A look that began less than this ago has seen whatever was overtaken {@link GenerationFence#WITHIN} ago. */
    private static final Duration RECENT = WITHIN.minusMillis(100);

    private final Looks looks = new Looks(System::nanoTime, RECENT.toNanos());

    /** Streams that are about to end by their own leave. */
    private final Set<String> leaving = ConcurrentHashMap.newKeySet();

    @Inject
    private Streams streams;

    @Inject
    private Standings standings;

    @Inject
    private SessionStreamMetrics metrics;

    @Inject
    private Background background;

    @Resource
    private ManagedScheduledExecutorService scheduler;

    /** The transaction of a leave. */
    @FunctionalInterface
    interface Leave {
        void run() throws SQLException;
    }

    void start(@Observes DatabaseReady ready) {
        Duration pause = Duration.ofMillis(Setting.FENCE_INTERVAL_MS.value());
        background.repeat("the fence of client streams", pause, pause, () -> looks.look(this::poll));
    }

    @Override
    public CompletionStage<Void> recent() {
        return looks.recent(WITHIN.toMillis());
    }

    /** Leaves by the stream itself, which ends when the leave has been answered. */
    void leaving(ClientStream stream, Leave leave) throws SQLException {
        leaving.add(stream.connectionId());
        boolean left = false;
        try {
            leave.run();
            left = true;
        } finally {
            if (!left) {
                leaving.remove(stream.connectionId());
            }
        }
        End end = End.of(Ending.LEFT);
        metrics.fenced(end, "event");
        stream.closeAfterAnswer(end.cause(), end.reason());
    }

    void forget(@Observes StreamEnded gone) {
        leaving.remove(gone.stream().connectionId());
    }

    void changed(@Observes(during = TransactionPhase.AFTER_SUCCESS) Appended appended) {
        RoomEvent event = appended.event();
        String session = event.session();
        End end = end(event);
        if (session == null || end == null) {
            return;
        }
        streams.find(session).filter(stream -> isFencedBy(event, stream)).ifPresent(stream -> {
            try {
                // Whoever caused the change does not wait for a socket.
                scheduler.execute(() -> fence(stream, end));
            } catch (RejectedExecutionException full) {
                LOG.log(Level.FINE, "a fence is left to the next poll", full);
            }
        });
    }

    /** An older generation is fenced or not, as the stage says; what has ended has ended in every stage. */
    private void fence(ClientStream stream, End end) {
        if (end.cause() != CloseCause.SUPERSEDED) {
            close(stream, end, "event");
            return;
        }
        try {
            check(List.of(stream), "event");
        } catch (SQLException | RuntimeException failed) {
            LOG.log(Level.FINE, "a fence is left to the next poll", failed);
        }
    }

    private static @Nullable End end(RoomEvent event) {
        if (Boolean.TRUE.equals(event.shadow())) {
            return null;
        }
        String type = event.type();
        if (type.equals(EventType.PARTICIPANT_JOINED.wire()) || type.equals(EventType.PARTICIPANT_RECONNECTED.wire())) {
            return new End(CloseCause.SUPERSEDED, End.SUPERSEDED);
        }
        if (type.equals(EventType.PARTICIPANT_LEFT.wire())) {
            return End.of(Ending.LEFT);
        }
        if (type.equals(EventType.PARTICIPANT_EXPIRED.wire())) {
            return End.of(Ending.EXPIRED);
        }
        String reason = event.reason();
        return type.equals(EventType.PARTICIPANT_REMOVED.wire()) && reason != null
                ? new End(CloseCause.SESSION_ENDED, reason)
                : null;
    }

    /** A join fences the generations before its own; an end ends its own, too. */
    private static boolean isFencedBy(RoomEvent event, ClientStream stream) {
        Long generation = event.generation();
        return generation != null
                && stream.identity() instanceof Identity.Participant me
                && (event.next().equals(SessionState.ABSENT.wire())
                        ? me.generation() <= generation
                        : me.generation() < generation);
    }

    private void poll() throws SQLException {
        List<ClientStream> some = new ArrayList<>();
        for (ClientStream stream : streams.all()) {
            if (stream.identity() instanceof Identity.Participant) {
                some.add(stream);
            }
            if (some.size() == SESSIONS_A_QUERY) {
                check(some, "poll");
                some.clear();
            }
        }
        if (!some.isEmpty()) {
            check(some, "poll");
        }
    }

    private void check(List<ClientStream> some, String foundBy) throws SQLException {
        Map<String, Standing> found = standings.of(
                some.stream().map(ClientStream::clientId).distinct().toList());
        for (ClientStream stream : some) {
            if (stream.identity() instanceof Identity.Participant me) {
                Standing standing = found.get(me.session());
                End end = standing == null ? End.ofTheVanished() : standing.end(me.generation());
                if (end != null) {
                    close(stream, end, foundBy);
                }
            }
        }
    }

    private void close(ClientStream stream, End end, String foundBy) {
        if (!stream.isDead() && !leaving.contains(stream.connectionId())) {
            metrics.fenced(end, foundBy);
            stream.close(end.cause(), end.reason());
        }
    }
}
