package io.huddle.presence;

import io.huddle.presence.Standing.End;
import io.huddle.security.Identity;
import io.huddle.store.DatabaseUnavailable;
import io.huddle.stream.ClientConnecting;
import io.huddle.stream.ClientReserving;
import io.huddle.stream.ClientStream;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a participant's session again before its stream is public: between the ticket's use and now the room may have
 * closed and the participant may have joined on another device. What happens after this look is the fence's.
 */
@ApplicationScoped
public class StreamArrivals {
    /** The attribute of a participant's stream that names the team of its room, for packages below. */
    public static final String TEAM = "team";

    @Inject
    private Standings standings;

    @Inject
    private Places places;

    @Inject
    private Heartbeat heartbeat;

    @Inject
    private StreamMarks marks;

    /** Before the client id is claimed: a stream that has been overtaken claims nothing, and its team is known from now on. */
    void reserving(@Observes ClientReserving reserving) throws SQLException {
        look(reserving.stream());
    }

    /** Again, once other nodes can see it. */
    void connecting(@Observes ClientConnecting connecting) throws SQLException {
        ClientStream stream = connecting.stream();
        look(stream);
        if (stream.identity() instanceof Identity.Participant me) {
            marks.connected(stream, me);
        }
    }

    private void look(ClientStream stream) throws SQLException {
        if (stream.identity() instanceof Identity.Participant me) {
            Standing standing = standings.of(List.of(me.session())).get(me.session());
            if (standing == null) {
                throw rejected(End.ofTheVanished());
            }
            End end = end(standing, me.generation());
            if (end != null) {
                throw rejected(end);
            }
            stream.attribute(TEAM, standing.team());
            // Remembered now, so that the first renewal needs no query.
            places.find(me.session());
        }
    }

    private static ClientConnecting.Rejected rejected(End end) {
        return new ClientConnecting.Rejected(end.cause(), end.reason());
    }

    private @Nullable End end(Standing standing, long generation) {
        End end = standing.end(generation);
        if (end != null || !standing.isLapsed()) {
            return end;
        }
        if (standing.moment().isStale(heartbeat.limit())) {
            throw new DatabaseUnavailable("leases are not judged until a sweep has run", null);
        }
        return End.of(Ending.EXPIRED);
    }
}
