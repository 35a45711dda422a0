package io.huddle.admin;

import io.huddle.admin.RoomViews.MediaReport;
import io.huddle.admin.RoomViews.Member;
import io.huddle.admin.RoomViews.Observed;
import io.huddle.rollout.Stages;
import io.huddle.security.Caller;
import io.huddle.security.OperatorActed;
import io.huddle.store.Database;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the database holds of a room's members, read and audited in one transaction. Safe for use by any thread.
 *
 * <p>Unlike the roster it also answers while no lease may be judged: an operator looks just then, and is told how long ago
 * the last sweep was.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class RoomLook {
    /** In: the room, twice. */
    private static final String MEMBERS = " AS now, h.at AS swept_at, "
            + Stages.ofTeam("(SELECT r.team FROM room r WHERE r.id = ?)")
            + " AS stage, s.* FROM sweep_heartbeat h"
            + " LEFT JOIN room_session s ON s.room_id = ? AND s.state <> 'absent' WHERE h.id = 1"
            + " ORDER BY s.joined_at, s.id";

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Event<OperatorActed> acted;

    /** The members that are not absent, and who is observed without a lease, at one instant of the database's clock. */
    record Seen(List<Member> members, List<Observed> observed, String stage, Instant asOf, Instant sweptAt) {}

    /** The members now; the line of the audit is written with the same transaction. */
    Seen at(Caller operator, String room) throws SQLException {
        Seen seen = read(room);
        acted.fire(OperatorActed.readRoster(operator.subject(), room, seen.asOf()));
        return seen;
    }

    private Seen read(String room) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement("SELECT " + clock.now() + MEMBERS)) {
            query.setString(1, room);
            query.setString(2, room);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                Instant now = Columns.instant(row, "now");
                Instant swept = Columns.instant(row, "swept_at");
                String stage = row.getString("stage");
                Sightings sightings = Sightings.read(connection, room, now);
                List<Member> members = new ArrayList<>();
                do {
                    if (row.getString("participant") != null) {
                        members.add(member(row, sightings, now));
                    }
                } while (row.next());
                return new Seen(members, sightings.withoutLease(), stage, now, swept);
            }
        }
    }

    private static Member member(ResultSet row, Sightings sightings, Instant now) throws SQLException {
        Instant leaseUntil = Columns.instant(row, "lease_until");
        String participant = row.getString("participant");
        MediaReport media = media(row);
        return new Member(
                row.getString("id"),
                participant,
                row.getLong("generation"),
                row.getString("state"),
                Columns.instant(row, "joined_at"),
                leaseUntil,
                Columns.instant(row, "proven_at"),
                Columns.optionalInstant(row, "suspect_at"),
                !leaseUntil.isAfter(now),
                media,
                Evidence.latest(Evidence.of(media, now, Sightings.fresh()), sightings.of(participant)),
                null,
                null);
    }

    private static @Nullable MediaReport media(ResultSet row) throws SQLException {
        Instant at = Columns.optionalInstant(row, "media_at");
        String state = row.getString("media_state");
        if (at == null || state == null) {
            return null;
        }
        return new MediaReport(
                state,
                Columns.flag(row, "media_flowing"),
                Columns.number(row, "media_rtt_ms"),
                Columns.number(row, "media_packets_lost"),
                at);
    }
}
