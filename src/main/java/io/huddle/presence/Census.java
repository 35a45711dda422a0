package io.huddle.presence;

import io.huddle.room.RoomState;
import io.huddle.store.Background;
import io.huddle.store.Database;
import io.huddle.store.DatabaseReady;
import io.huddle.time.DatabaseClock;
import io.huddle.time.Latest;
import io.huddle.web.ClusterWide;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/**
 * The gauges that are read from the database: the same on every node, so queries take {@code max()} and not a sum.
 *
 * <p>Two queries every few seconds on each node, none at a scrape. Closed rooms are many and change little, so they are
 * counted once a minute. While the database does not answer the gauges have no value: what was true last may be wrong.
 */
@ApplicationScoped
public class Census {
    private static final Logger LOG = Logger.getLogger(Census.class.getName());
    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final Duration GOOD = EVERY.multipliedBy(3);
    private static final Duration CLOSED_EVERY = Duration.ofMinutes(1);
    private static final String NOT_SYNTHETIC = " Without synthetic rooms.";
    private static final String OF_A_ROOM_STATE = "SELECT count(*) FROM room WHERE state = ? AND NOT synthetic";
    private static final String SESSIONS = "SELECT s.state, count(*), min(s.proven_at) FROM room_session s"
            + " JOIN room r ON r.id = s.room_id"
            + " WHERE s.state IN ('present', 'suspect', 'suspended') AND NOT r.synthetic GROUP BY s.state";

    private final Latest<Headcount> latest = new Latest<>(GOOD, System::nanoTime);
    private final Latest<Long> closed = new Latest<>(CLOSED_EVERY, System::nanoTime);

    @Inject
    private MetricRegistry registry;

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Background background;

    void start(@Observes DatabaseReady ready) {
        for (RoomState state : RoomState.values()) {
            gauge(
                    "huddle_rooms",
                    "Rooms by state; closed ones are kept until their retention ends, and counted once a minute.",
                    count -> count.rooms(state),
                    new Tag("state", state.wire()));
        }
        for (SessionState state : SessionState.values()) {
            if (state != SessionState.ABSENT) {
                gauge(
                        "huddle_sessions",
                        "Sessions that are not absent, by state.",
                        count -> count.sessions(state),
                        new Tag("state", state.wire()));
            }
        }
        gauge(
                "huddle_oldest_unrenewed_lease_seconds",
                "Since the oldest last proof of life of a session that is not absent.",
                Headcount::oldestSeconds);
        background.repeat("the census", Duration.ZERO, EVERY, this::run);
    }

    /** What was counted last; empty while the database does not answer. */
    Optional<Headcount> latest() {
        return latest.value();
    }

    private void gauge(String name, String description, ToDoubleFunction<Headcount> value, Tag... tags) {
        Metadata metadata = Metadata.builder()
                .withName(name)
                .withDescription(ClusterWide.DATABASE.described(description + NOT_SYNTHETIC))
                .build();
        registry.gauge(metadata, () -> latest.value().map(value::applyAsDouble).orElse(Double.NaN), tags);
    }

    private void run() throws SQLException {
        try {
            latest.put(count());
        } catch (SQLException | RuntimeException away) {
            latest.forget();
            throw away;
        }
    }

    private Headcount count() throws SQLException {
        // Before the counts: whoever renewed between the two is not older than nothing.
        Instant now = clock.read();
        try (Connection connection = database.connection()) {
            Map<RoomState, Long> rooms = new EnumMap<>(RoomState.class);
            rooms.put(RoomState.OPEN, rooms(connection, RoomState.OPEN));
            rooms.put(RoomState.CLOSING, rooms(connection, RoomState.CLOSING));
            Optional<Long> known = closed(connection);
            known.ifPresent(count -> rooms.put(RoomState.CLOSED, count));
            return sessions(connection, rooms, now);
        }
    }

    /** There may be so many that the database gives up on counting them; the other figures do not depend on it. */
    private Optional<Long> closed(Connection connection) {
        if (closed.value().isEmpty()) {
            try {
                closed.put(rooms(connection, RoomState.CLOSED));
            } catch (SQLException unknown) {
                LOG.log(Level.FINE, "closed rooms were not counted; the next run tries again", unknown);
            }
        }
        return closed.value();
    }

    private static long rooms(Connection connection, RoomState state) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(OF_A_ROOM_STATE)) {
            query.setString(1, state.wire());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static Headcount sessions(Connection connection, Map<RoomState, Long> rooms, Instant now)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(SESSIONS);
                ResultSet row = query.executeQuery()) {
            Instant oldest = now;
            Map<SessionState, Long> sessions = new EnumMap<>(SessionState.class);
            while (row.next()) {
                sessions.put(SessionState.of(row.getString(1)), row.getLong(2));
                Instant proven = row.getTimestamp(3).toInstant();
                oldest = proven.isBefore(oldest) ? proven : oldest;
            }
            return new Headcount(
                    now, rooms, sessions, Duration.between(oldest, now).toMillis() / 1_000.0);
        }
    }
}
