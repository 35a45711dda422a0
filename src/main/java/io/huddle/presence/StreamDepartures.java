package io.huddle.presence;

import io.huddle.presence.Places.Place;
import io.huddle.presence.SessionStreamMetrics.Departure;
import io.huddle.security.Identity;
import io.huddle.store.Failure;
import io.huddle.stream.CloseCause;
import io.huddle.stream.StreamEnded;
import io.huddle.stream.Streams;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A participant's stream that ends without a word makes its session suspect: the lease goes on and decides, a renewal
 * makes good. Fenced by the generation, so the late end of an older stream says nothing.
 *
 * <p>A SIGKILL costs the doubt: that of {@link OrphanedParticipants}, once the node is known to be dead, or the sweep's,
 * after two silent heartbeats, takes its place.
 */
@ApplicationScoped
public class StreamDepartures {
    private static final Logger LOG = Logger.getLogger(StreamDepartures.class.getName());

    /** While the database is away; later than this the sweep's own doubt is due anyway. */
    private static final int TRIES = 30;

    private static final int AGAIN_SECONDS = 1;

    /** Ends that the session itself caused. */
    private static final Set<CloseCause> CAUSED_BY_THE_SESSION =
            EnumSet.of(CloseCause.SUPERSEDED, CloseCause.SESSION_ENDED);

    @Inject
    private Sessions sessions;

    @Inject
    private Places places;

    @Inject
    private Streams streams;

    @Inject
    private StreamMarks marks;

    @Inject
    private PresenceMetrics refusals;

    @Inject
    private SessionStreamMetrics metrics;

    @Resource
    private ManagedScheduledExecutorService scheduler;

    /** Nobody knew of a stream that was never public. */
    void ended(@Observes StreamEnded gone) {
        String connection = gone.stream().connectionId();
        if (gone.wasPublic()
                && gone.stream().identity() instanceof Identity.Participant me
                && !CAUSED_BY_THE_SESSION.contains(gone.cause())) {
            try {
                scheduler.execute(() -> attempt(me, connection, TRIES));
            } catch (RejectedExecutionException full) {
                metrics.departed(Departure.GIVEN_UP);
            }
        } else if (!gone.wasPublic() && gone.stream().identity() instanceof Identity.Participant me) {
            forget(me, connection);
        }
    }

    /** Marked as connected, and then nobody ever saw it. */
    private void forget(Identity.Participant me, String connection) {
        try {
            scheduler.execute(() -> {
                try {
                    marks.ended(me.session(), connection);
                } catch (SQLException | RuntimeException failed) {
                    LOG.log(Level.FINE, "the mark of a stream is left to the next repair", failed);
                }
            });
        } catch (RejectedExecutionException full) {
            LOG.log(Level.FINE, "the mark of a stream is left to the next repair", full);
        }
    }

    private void attempt(Identity.Participant me, String connection, int left) {
        try {
            metrics.departed(doubt(me, connection));
        } catch (SQLException | RuntimeException failed) {
            boolean isDefect = Failure.of(failed) == Failure.DEFECT;
            if (isDefect || left == 1) {
                metrics.departed(Departure.GIVEN_UP);
                LOG.log(isDefect ? Level.SEVERE : Level.WARNING, "the end of a stream was not written", failed);
            } else {
                again(me, connection, left - 1);
            }
        }
    }

    private void again(Identity.Participant me, String connection, int left) {
        try {
            ScheduledFuture<?> unused =
                    scheduler.schedule(() -> attempt(me, connection, left), AGAIN_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException stopping) {
            metrics.departed(Departure.GIVEN_UP);
        }
    }

    private Departure doubt(Identity.Participant me, String connection) throws SQLException {
        Place place = isBack(me) ? null : places.find(me.session());
        if (place == null) {
            return Departure.UNCHANGED;
        }
        try {
            return sessions.streamClosed(place.room(), me.session(), me.generation(), connection)
                    ? Departure.SUSPECTED
                    : Departure.UNCHANGED;
        } catch (Rejection stale) {
            refusals.rejected(stale);
            return Departure.STALE;
        }
    }

    /** True if the same generation, or a newer one, has a stream here by now. */
    private boolean isBack(Identity.Participant me) {
        return streams.find(me.session())
                .filter(stream -> stream.identity() instanceof Identity.Participant other
                        && other.generation() >= me.generation())
                .isPresent();
    }
}
