package io.huddle.presence;

import io.huddle.rollout.Stage;
import io.huddle.rollout.Stages;
import io.huddle.room.Room;
import io.huddle.room.RoomJson;
import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.security.OperatorActed;
import io.huddle.store.Database;
import io.huddle.store.DatabaseUnavailable;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Refused;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rosters: unexpired leases only, also before the sweep ran; in a stage before leases decide, who is connected. Safe
 * for use by any thread.
 *
 * <p>Stage, entries and sequence number come from one statement, so that a reader who applies the events after that number misses
 * none and sees none twice.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class, dontRollbackOn = Refused.class)
public class Rosters {
    @Inject
    private Rooms rooms;

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Heartbeat heartbeat;

    @Inject
    private Event<OperatorActed> acted;

    private String source = "";
    private String find = "";

    /** In: the source of an older roster, the room, the source again. */
    @PostConstruct
    void prepare() {
        source = MemberView.source();
        find = "SELECT c.now, h.at, h.graced_at, r.seq, s.id, s.participant, s.generation, s.state, s.joined_at,"
                + " s.lease_until, s.suspect_at, " + Stages.ofTeam("r.team") + ", s.stream_ended_at, o.media, "
                + MemberView.fed("r.id", "c.now")
                + " FROM (SELECT " + clock.now() + " AS now) c"
                + " CROSS JOIN sweep_heartbeat h JOIN room r ON r.id = ?"
                + " LEFT JOIN room_session s ON s.room_id = r.id AND s.state <> 'absent'"
                + MemberView.seen("o", "s", "c.now")
                + " ORDER BY s.joined_at, s.id";
    }

    /** The roster as the caller may see it: once leases decide, no lapsed one. Who reads it as an operator is audited. */
    @Retried
    public RosterJson read(Caller caller, String room) throws SQLException {
        Room seen = rooms.see(caller, room);
        RosterJson roster = query(seen.id(), true);
        looked(caller, seen.team(), seen.id(), roster.asOf());
        return roster;
    }

    /**
     * For subscribers: every session that is not yet absent, with its lease; the reader hides the lapsed ones. Before leases
     * decide, whom the roster shows, and the reader hides nobody.
     */
    @Retried
    public RosterJson snapshot(String room) throws SQLException {
        return query(room, false);
    }

    /** The caller reads or follows the events, which tell who is in: of an operator, that is a look at the roster. */
    @Retried
    public void followed(Caller caller, RoomJson room) throws SQLException {
        looked(caller, room.team(), room.id(), clock.read());
    }

    private void looked(Caller caller, String team, String room, Instant at) {
        if (!caller.actsIn(team)) {
            acted.fire(OperatorActed.readRoster(caller.subject(), room, at));
        }
    }

    private RosterJson query(String room, boolean hideLapsed) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(find)) {
            query.setString(1, source);
            query.setString(2, room);
            query.setString(3, source);
            try (ResultSet row = query.executeQuery()) {
                return read(room, row, hideLapsed);
            }
        }
    }

    private RosterJson read(String room, ResultSet row, boolean hideLapsed) throws SQLException {
        if (!row.next()) {
            throw new IllegalStateException("room " + room + " is gone");
        }
        Moment moment = new Moment(instant(row, 1), instant(row, 2), instant(row, 3));
        if (moment.isStale(heartbeat.limit())) {
            throw new DatabaseUnavailable("leases are not judged until a sweep has run", null);
        }
        long seq = row.getLong(4);
        Stage stage = Stage.of(row.getString(12));
        List<SessionJson> entries = new ArrayList<>();
        do {
            if (row.getString(5) != null) {
                SessionJson entry = entry(row);
                MemberView view = new MemberView(
                        entry.state(), entry.leaseUntil(), row.getTimestamp(13) != null, row.getString(14));
                boolean showsAll = stage.endsLeases() && !hideLapsed;
                if (showsAll || view.isShown(stage, row.getBoolean(15), moment.now())) {
                    entries.add(entry);
                }
            }
        } while (row.next());
        return new RosterJson(room, seq, moment.now(), stage.wire(), entries);
    }

    private static SessionJson entry(ResultSet row) throws SQLException {
        Timestamp suspectAt = row.getTimestamp(11);
        return new SessionJson(
                row.getString(5),
                row.getString(6),
                row.getLong(7),
                row.getString(8),
                instant(row, 9),
                instant(row, 10),
                toInstant(suspectAt));
    }

    private static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getTimestamp(column).toInstant();
    }

    private static @Nullable Instant toInstant(@Nullable Timestamp stored) {
        return stored == null ? null : stored.toInstant();
    }
}
