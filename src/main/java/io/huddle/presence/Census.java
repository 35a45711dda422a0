package io.huddle.presence;

import io.huddle.room.RoomState;
import io.huddle.store.Background;
import io.huddle.store.Database;
import io.huddle.store.DatabaseReady;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/**
 * The gauges that are read from the database: the same on every node, so queries take {@code max()} and not a sum. Read
 * every few seconds and not at each scrape.
 */
@ApplicationScoped
public class Census {
    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final String WHOLE_CLUSTER = " Of the whole cluster, the same on every node: take max().";
    private static final String ROOMS = "SELECT state, count(*) FROM room GROUP BY state";
    private static final String SESSIONS = "SELECT state, count(*), min(proven_at) FROM room_session"
            + " WHERE state IN ('present', 'suspect', 'suspended') GROUP BY state";

    private final Map<String, Long> rooms = new ConcurrentHashMap<>();
    private final Map<String, Long> sessions = new ConcurrentHashMap<>();
    private volatile double oldestSeconds;

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
            gauge("huddle_rooms", "Rooms that are kept.", rooms, state.wire());
        }
        for (SessionState state : SessionState.values()) {
            if (state != SessionState.ABSENT) {
                gauge("huddle_sessions", "Sessions that are not absent.", sessions, state.wire());
            }
        }
        registry.gauge(
                described("huddle_oldest_unrenewed_lease_seconds", "Age of the oldest last proof of life."),
                () -> oldestSeconds);
        background.repeat("the census", Duration.ZERO, EVERY, this::count);
    }

    private void gauge(String name, String description, Map<String, Long> counts, String state) {
        registry.gauge(described(name, description), () -> counts.getOrDefault(state, 0L), new Tag("state", state));
    }

    private static Metadata described(String name, String description) {
        return Metadata.builder()
                .withName(name)
                .withDescription(description + WHOLE_CLUSTER)
                .build();
    }

    private void count() throws SQLException {
        try (Connection connection = database.connection()) {
            count(connection, ROOMS, rooms);
            try (PreparedStatement query = connection.prepareStatement(SESSIONS);
                    ResultSet row = query.executeQuery()) {
                Map<String, Long> found = new ConcurrentHashMap<>();
                Instant now = clock.read();
                Instant oldest = now;
                while (row.next()) {
                    found.put(row.getString(1), row.getLong(2));
                    Instant proven = row.getTimestamp(3).toInstant();
                    oldest = proven.isBefore(oldest) ? proven : oldest;
                }
                replace(sessions, found);
                oldestSeconds = Duration.between(oldest, now).toMillis() / 1_000.0;
            }
        }
    }

    private static void count(Connection connection, String sql, Map<String, Long> counts) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql);
                ResultSet row = query.executeQuery()) {
            Map<String, Long> found = new ConcurrentHashMap<>();
            while (row.next()) {
                found.put(row.getString(1), row.getLong(2));
            }
            replace(counts, found);
        }
    }

    private static void replace(Map<String, Long> counts, Map<String, Long> found) {
        counts.keySet().retainAll(found.keySet());
        counts.putAll(found);
    }
}
