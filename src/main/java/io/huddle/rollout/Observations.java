package io.huddle.rollout;

import io.huddle.setting.Setting;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What media servers and older systems see: the latest of each room, source and participant. Safe for use by any thread.
 *
 * <p>Telemetry: it never touches a session. Takes no lock of a room but the one its key needs, so it holds nobody up.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class, dontRollbackOn = Refused.class)
public class Observations {
    /** How many participants are kept of one source in one room, for each that one request may tell of. */
    private static final int KEPT_FOR_EACH = 5;

    private static final String BY_DEFAULT = "legacy";

    /** All of the room in one order, so that two sources of one room never wait for each other. */
    private static final String KNOWN = "SELECT source, participant, observed_at, received_at FROM room_observation"
            + " WHERE room_id = ? ORDER BY source, participant FOR UPDATE";

    private static final String FORGET =
            "DELETE FROM room_observation WHERE room_id = ? AND source = ? AND participant = ?";
    private static final String UPDATE = "UPDATE room_observation SET media = ?, observed_at = ?, received_at = ?"
            + " WHERE room_id = ? AND source = ? AND participant = ?";
    private static final String INSERT =
            "INSERT INTO room_observation (media, observed_at, received_at, room_id, source, participant)"
                    + " VALUES (?, ?, ?, ?, ?, ?)";

    private final Duration oldest = Duration.ofSeconds(Setting.OBSERVATION_AGE_SECONDS.value());
    private final Duration ahead = Duration.ofSeconds(Setting.OBSERVATION_AHEAD_SECONDS.value());
    private final int mostSources = Setting.OBSERVATION_SOURCES.value();
    private final int mostKept = KEPT_FOR_EACH * Setting.OBSERVATION_PARTICIPANTS.value();

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    private record Row(String source, String participant, Instant observedAt, Instant receivedAt) {}

    /** The source whose observations are an older system's roster. */
    public static String rosterSource() {
        String configured = Setting.text("huddle.observations.roster-source");
        return configured.isEmpty() ? BY_DEFAULT : configured;
    }

    /**
     * Since when an observation is evidence, as a scalar expression for any statement.
     *
     * @param now an expression for the time
     */
    public static String freshSince(String now) {
        return now + " - " + Setting.OBSERVATION_FRESH_SECONDS.value() + " * INTERVAL '1' SECOND";
    }

    /**
     * Keeps what a source saw. An older one that arrives later than a newer changes nothing.
     *
     * @throws Refused {@code invalid-request} for a time out of bounds, or where more sources or participants are told of
     *     than are kept
     */
    @Retried
    public void keep(String room, Observation observation) throws SQLException {
        try (Connection connection = database.connection()) {
            List<Row> rows = known(connection, room);
            Instant now = clock.read();
            Instant observed = Observation.observed(observation.observedAt(), now, oldest, ahead);
            // What nobody has told of for longer than any evidence counts makes way.
            Instant kept = now.minus(oldest).minusSeconds(Setting.OBSERVATION_FRESH_SECONDS.value());
            Map<String, Instant> known = new HashMap<>();
            Set<String> sources = new HashSet<>();
            try (PreparedStatement delete = connection.prepareStatement(FORGET)) {
                for (Row row : rows) {
                    if (row.receivedAt().isBefore(kept)) {
                        delete.setString(1, room);
                        delete.setString(2, row.source());
                        delete.setString(3, row.participant());
                        delete.addBatch();
                    } else {
                        sources.add(row.source());
                        if (row.source().equals(observation.source())) {
                            known.put(row.participant(), row.observedAt());
                        }
                    }
                }
                delete.executeBatch();
            }
            checkRoomFor(observation, known, sources);
            write(connection, room, observation, known, observed, now);
        }
    }

    private static void write(
            Connection connection,
            String room,
            Observation observation,
            Map<String, Instant> known,
            Instant observed,
            Instant now)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(UPDATE);
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (Map.Entry<String, Media> one : observation.participants().entrySet()) {
                Instant before = known.get(one.getKey());
                if (before == null || !before.isAfter(observed)) {
                    PreparedStatement write = before == null ? insert : update;
                    write.setString(1, one.getValue().wire());
                    write.setTimestamp(2, Timestamp.from(observed));
                    write.setTimestamp(3, Timestamp.from(now));
                    write.setString(4, room);
                    write.setString(5, observation.source());
                    write.setString(6, one.getKey());
                    write.addBatch();
                }
            }
            update.executeBatch();
            insert.executeBatch();
        }
    }

    private static List<Row> known(Connection connection, String room) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(KNOWN)) {
            query.setString(1, room);
            List<Row> rows = new ArrayList<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    rows.add(new Row(
                            row.getString(1),
                            row.getString(2),
                            row.getTimestamp(3).toInstant(),
                            row.getTimestamp(4).toInstant()));
                }
            }
            return rows;
        }
    }

    private void checkRoomFor(Observation observation, Map<String, Instant> known, Set<String> sources) {
        if (!sources.contains(observation.source()) && sources.size() >= mostSources) {
            throw Refused.invalid("at most " + mostSources + " sources tell of one room");
        }
        long more = observation.participants().keySet().stream()
                .filter(one -> !known.containsKey(one))
                .count();
        if (known.size() + more > mostKept) {
            throw Refused.invalid("at most " + mostKept + " participants of one source are kept of one room");
        }
    }
}
