package io.huddle.presence;

import io.huddle.rollout.Stage;
import io.huddle.rollout.Stages;
import io.huddle.room.RoomState;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Reads how sessions stand, many at once and in one statement. Safe for use by any thread. */
@ApplicationScoped
public class Standings {
    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    private String find = "";

    @PostConstruct
    void prepare() {
        find = "SELECT s.id, s.room_id, r.team, s.generation, s.state, s.ending, s.lease_until, r.state, c.now, h.at,"
                + " h.graced_at, " + Stages.ofTeam("r.team") + " FROM (SELECT " + clock.now() + " AS now) c"
                + " JOIN sweep_heartbeat h ON h.id = 1"
                + " JOIN room_session s ON s.id = ANY (?)"
                + " JOIN room r ON r.id = s.room_id";
    }

    /** The standing of each session that exists, by its id. */
    @Retried
    Map<String, Standing> of(Collection<String> sessions) throws SQLException {
        Map<String, Standing> found = new HashMap<>();
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(find)) {
            query.setArray(1, connection.createArrayOf("VARCHAR", sessions.toArray()));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Standing standing = read(row);
                    found.put(standing.session(), standing);
                }
            }
        }
        return found;
    }

    private static Standing read(ResultSet row) throws SQLException {
        String ending = row.getString(6);
        return new Standing(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getLong(4),
                SessionState.of(row.getString(5)),
                ending == null ? null : Ending.of(ending),
                row.getTimestamp(7).toInstant(),
                RoomState.of(row.getString(8)),
                new Moment(
                        row.getTimestamp(9).toInstant(),
                        row.getTimestamp(10).toInstant(),
                        row.getTimestamp(11).toInstant()),
                Stage.of(row.getString(12)));
    }
}
