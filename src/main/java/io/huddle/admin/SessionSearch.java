package io.huddle.admin;

import io.huddle.security.Caller;
import io.huddle.security.OperatorActed;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Cursor;
import io.huddle.web.Ids;
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
 * Finds sessions among all that are kept, for operators. One statement a page. Safe for use by any thread.
 *
 * <p>Who looks for the sessions of one room sees who is in it: that is a look at its roster, audited in the same transaction.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class SessionSearch {
    private static final String SESSIONS =
            "SELECT s.id, s.room_id, r.team, r.occurrence, r.label, r.state AS room_state,"
                    + " s.participant, s.generation, s.state, s.ending, s.joined_at, s.lease_until, s.proven_at, s.suspect_at"
                    + " FROM room_session s JOIN room r ON r.id = s.room_id";
    private static final String ROOM = "SELECT 1 FROM room WHERE id = ?";
    private static final String NEWEST_FIRST = " ORDER BY s.joined_at DESC, s.id DESC FETCH FIRST ? ROWS ONLY";

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Event<OperatorActed> acted;

    /**
     * What to look for; null where anything will do.
     *
     * @param text an id of a session or a room, or a part of an id, a participant or a team
     * @param state null means all that are not absent
     */
    record Wanted(@Nullable String text, @Nullable String state) {
        /** The room whose sessions are looked for; null where it is not those of one. */
        @Nullable
        String room() {
            return text != null && Ids.isOf('r', text) ? text : null;
        }
    }

    /**
     * A session as it is listed.
     *
     * @param ending how it ended, of an absent one
     * @param leaseUntil of an absent one the instant it ended
     * @param lapsed true if the lease has run out and no sweep has ended the session yet
     */
    public record FoundSession(
            String session,
            String room,
            String team,
            String occurrence,
            @Nullable String label,
            String roomState,
            String participant,
            long generation,
            String state,
            @Nullable String ending,
            Instant joinedAt,
            Instant leaseUntil,
            Instant provenAt,
            @Nullable Instant suspectAt,
            boolean lapsed) {}

    /** What was found, the latest to join first, and the database's clock. */
    record Found(List<FoundSession> sessions, Instant asOf) {}

    /** At most {@code limit} sessions behind the cursor. */
    @Retried
    Found find(Caller operator, Wanted wanted, @Nullable Cursor cursor, int limit) throws SQLException {
        Where where = where(wanted).behind(cursor, "s.joined_at", "s.id");
        String sql = SESSIONS + where.sql() + NEWEST_FIRST;
        Instant now = clock.read();
        String room = wanted.room();
        boolean isLook;
        List<FoundSession> found = new ArrayList<>();
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(sql)) {
            where.bind(query, limit);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    found.add(session(row, now));
                }
            }
            isLook = room != null && isKept(connection, room);
        }
        if (room != null && isLook) {
            acted.fire(OperatorActed.readRoster(operator.subject(), room, now));
        }
        return new Found(found, now);
    }

    private static boolean isKept(Connection connection, String room) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(ROOM)) {
            query.setString(1, room);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private static Where where(Wanted wanted) {
        String state = wanted.state();
        Where where = state == null
                ? new Where().and("s.state IN ('present', 'suspect', 'suspended')")
                : new Where().and("s.state = ?", state);
        String text = wanted.text();
        if (text == null) {
            return where;
        }
        if (Ids.isOf('s', text)) {
            return where.and("s.id = ?", text);
        }
        if (wanted.room() != null) {
            return where.and("s.room_id = ?", text);
        }
        return where.contains(text, "s.id", "s.participant", "r.team");
    }

    private static FoundSession session(ResultSet row, Instant now) throws SQLException {
        String state = row.getString("state");
        Instant leaseUntil = Columns.instant(row, "lease_until");
        return new FoundSession(
                row.getString("id"),
                row.getString("room_id"),
                row.getString("team"),
                row.getString("occurrence"),
                row.getString("label"),
                row.getString("room_state"),
                row.getString("participant"),
                row.getLong("generation"),
                state,
                row.getString("ending"),
                Columns.instant(row, "joined_at"),
                leaseUntil,
                Columns.instant(row, "proven_at"),
                Columns.optionalInstant(row, "suspect_at"),
                !state.equals("absent") && !leaseUntil.isAfter(now));
    }
}
