package io.huddle.shadow;

import io.huddle.presence.MemberView;
import io.huddle.rollout.Observations;
import io.huddle.rollout.Stages;
import io.huddle.setting.Setting;
import io.huddle.shadow.Comparison.Difference;
import io.huddle.shadow.Comparison.Member;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Ids;
import jakarta.annotation.PostConstruct;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares rooms and writes down what differs. Safe for use by any thread.
 *
 * <p>Takes no lock but those of its own rows, so it holds up no command. Two nodes may compare one room at once: a constraint
 * lets one of them write a mismatch, and the other looks again.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Comparisons {
    private static final int ROOMS_A_PAGE = 200;
    private static final int FORGOTTEN_AT_ONCE = 1_000;

    private static final String COMPARED =
            "r.state = 'open' AND NOT r.synthetic AND " + Stages.ofTeam("r.team") + " IN ('shadow', 'fencing')";
    private static final String CLAIM = "SELECT at FROM shadow_comparison WHERE id = 1 FOR UPDATE SKIP LOCKED";
    private static final String CLAIMED = "UPDATE shadow_comparison SET at = ? WHERE id = 1";
    /** In: a room. Out: the next ones that are compared, or were when something differed. */
    private static final String NEXT = "SELECT r.id FROM room r WHERE r.id > ? AND ((" + COMPARED + ")"
            + " OR EXISTS (SELECT 1 FROM shadow_mismatch m WHERE m.room_id = r.id AND m.ended_at IS NULL))"
            + " ORDER BY r.id FETCH FIRST " + ROOMS_A_PAGE + " ROWS ONLY";

    private static final String ANY = "SELECT 1 FROM sweep_heartbeat WHERE"
            + " EXISTS (SELECT 1 FROM rollout_stage WHERE stage IN ('shadow', 'fencing'))"
            + " OR EXISTS (SELECT 1 FROM shadow_mismatch WHERE ended_at IS NULL)";
    private static final String OPEN = "SELECT id, room_id, kind, participant, seen_at FROM shadow_mismatch"
            + " WHERE room_id = ANY (?) AND ended_at IS NULL ORDER BY id FOR UPDATE";
    private static final String BEGIN = "INSERT INTO shadow_mismatch (id, room_id, team, session_id, participant, kind,"
            + " began_at, seen_at, open_participant) VALUES (?, ?, ?, (SELECT s.id FROM room_session s WHERE s.room_id = ?"
            + " AND s.participant = ?), ?, ?, ?, ?, ?)";
    private static final String SEEN = "UPDATE shadow_mismatch SET seen_at = ? WHERE id = ?";
    private static final String END = "UPDATE shadow_mismatch SET ended_at = ?, open_participant = NULL WHERE id = ?";
    private static final String FORGET = "DELETE FROM shadow_mismatch WHERE id IN (SELECT m.id FROM shadow_mismatch m"
            + " WHERE m.ended_at < ? ORDER BY m.ended_at FETCH FIRST " + FORGOTTEN_AT_ONCE + " ROWS ONLY)";
    private static final String TEAM =
            "SELECT r.team, s.participant FROM room_session s JOIN room r ON r.id = s.room_id" + " WHERE s.id = ?";

    private final Duration window = Duration.ofSeconds(Setting.COMPARISON_WINDOW_SECONDS.value());
    private final Duration outage = Duration.ofMillis(Setting.OUTAGE_LIMIT_MS.value());
    private final Duration kept = Duration.ofHours(Setting.EVENT_RETENTION_HOURS.value());

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    private String source = "";
    private String seen = "";
    private String members = "";

    /** A mismatch that may be open in the database. */
    private record Known(String id, Instant seenAt) {}

    private record Key(String room, MismatchKind kind, String participant) {}

    /** What was read of one room. */
    private static final class Look {
        final String team;
        final boolean isCompared;
        final boolean isFed;
        final List<Member> members = new ArrayList<>();
        final Set<String> observed = new HashSet<>();

        Look(String team, boolean isCompared, boolean isFed) {
            this.team = team;
            this.isCompared = isCompared;
            this.isFed = isFed;
        }
    }

    @PostConstruct
    void prepare() {
        source = MemberView.source();
        seen = "SELECT o.room_id, o.participant FROM room_observation o WHERE o.room_id = ANY (?) AND o.source = ?"
                + " AND o.media <> 'gone' AND o.observed_at > " + Observations.freshSince(clock.now());
        // In: the source, the rooms, the source.
        members = "SELECT c.now, h.at, r.id, r.team, CASE WHEN " + COMPARED + " THEN TRUE ELSE FALSE END, "
                + MemberView.fed("r.id", "c.now")
                + ", s.id, s.participant, s.state, s.lease_until, s.stream_ended_at, o.media"
                + " FROM (SELECT " + clock.now() + " AS now) c CROSS JOIN sweep_heartbeat h"
                + " JOIN room r ON r.id = ANY (?) LEFT JOIN room_session s ON s.room_id = r.id AND s.state <> 'absent'"
                + MemberView.seen("o", "s", "c.now")
                + " WHERE h.id = 1";
    }

    /** True if any room may be compared, or has a mismatch to end: most deployments are past that. */
    @Retried
    public boolean isAnyCompared() throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(ANY);
                ResultSet row = query.executeQuery()) {
            return row.next();
        }
    }

    /** True for one node a window: the one that compares all rooms in it. */
    @Retried
    public boolean claimWindow() throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement lock = connection.prepareStatement(CLAIM);
                ResultSet row = lock.executeQuery()) {
            if (!row.next()) {
                return false;
            }
            Instant last = row.getTimestamp(1).toInstant();
            Instant now = clock.read();
            if (now.isBefore(last.plus(window)) && !last.isAfter(now)) {
                return false;
            }
            try (PreparedStatement update = connection.prepareStatement(CLAIMED)) {
                update.setTimestamp(1, Timestamp.from(now));
                update.executeUpdate();
            }
            return true;
        }
    }

    /** The next rooms, in the order of their ids, that are compared or have a mismatch that is open. */
    @Retried
    public List<String> next(String after) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(NEXT)) {
            query.setString(1, after);
            List<String> rooms = new ArrayList<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    rooms.add(row.getString(1));
                }
            }
            return rooms;
        }
    }

    /**
     * Compares these rooms: begins what differs now, ends what does not any more. While no lease may be judged it does
     * nothing.
     *
     * @return the kinds of the mismatches that began
     */
    @Retried
    public List<MismatchKind> compare(Collection<String> rooms) throws SQLException {
        try (Connection connection = database.connection()) {
            // Locked first: another node that compares the same rooms has written all or nothing of it.
            Map<Key, Known> open = open(connection, rooms);
            Map<String, Set<String>> observed = observed(connection, rooms);
            Map<String, Look> looks = new TreeMap<>();
            Instant now = look(connection, rooms, looks);
            if (now == null) {
                return List.of();
            }
            List<MismatchKind> began = new ArrayList<>();
            for (Map.Entry<String, Look> one : looks.entrySet()) {
                Look look = one.getValue();
                if (look.isCompared) {
                    look.observed.addAll(observed.getOrDefault(one.getKey(), Set.of()));
                    for (Difference difference : Comparison.of(look.members, look.observed, look.isFed, now)) {
                        Key key = new Key(one.getKey(), difference.kind(), difference.participant());
                        Known known = open.remove(key);
                        if (known == null) {
                            begin(connection, key, look.team, now);
                            began.add(difference.kind());
                        } else if (known.seenAt().plus(window).isBefore(now)) {
                            change(connection, SEEN, now, known.id());
                        }
                    }
                }
            }
            for (Map.Entry<Key, Known> rest : open.entrySet()) {
                Look look = looks.get(rest.getKey().room());
                if (look == null || !look.isCompared || isOver(rest.getKey(), rest.getValue(), now)) {
                    change(connection, END, now, rest.getValue().id());
                }
            }
            return began;
        }
    }

    /** A stale command is a moment and no state: it is over when none has come for two windows. */
    private boolean isOver(Key key, Known known, Instant now) {
        return key.kind() != MismatchKind.STALE_GENERATION
                || known.seenAt().plus(window).plus(window).isBefore(now);
    }

    /**
     * A command of an older generation was carried out.
     *
     * @return true if it is the first of a mismatch, false if it goes on with one
     */
    @Retried
    public boolean stale(String room, String session, Instant at) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(TEAM)) {
            query.setString(1, session);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    return false;
                }
                Key key = new Key(room, MismatchKind.STALE_GENERATION, row.getString(2));
                Known known = open(connection, List.of(room)).get(key);
                if (known != null) {
                    change(connection, SEEN, at, known.id());
                    return false;
                }
                begin(connection, key, row.getString(1), at);
                return true;
            }
        }
    }

    /** Deletes some of what ended longer ago than events are kept; answers whether there may be more. */
    @Retried
    public boolean forget() throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement delete = connection.prepareStatement(FORGET)) {
            delete.setTimestamp(1, Timestamp.from(clock.read().minus(kept)));
            return delete.executeUpdate() == FORGOTTEN_AT_ONCE;
        }
    }

    private static Map<Key, Known> open(Connection connection, Collection<String> rooms) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(OPEN)) {
            query.setArray(1, connection.createArrayOf("VARCHAR", rooms.toArray()));
            Map<Key, Known> open = new HashMap<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    MismatchKind kind = MismatchKind.named(row.getString(3)).orElseThrow();
                    open.put(
                            new Key(row.getString(2), kind, row.getString(4)),
                            new Known(row.getString(1), row.getTimestamp(5).toInstant()));
                }
            }
            return open;
        }
    }

    private Map<String, Set<String>> observed(Connection connection, Collection<String> rooms) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(seen)) {
            query.setArray(1, connection.createArrayOf("VARCHAR", rooms.toArray()));
            query.setString(2, source);
            Map<String, Set<String>> observed = new HashMap<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    observed.computeIfAbsent(row.getString(1), room -> new HashSet<>())
                            .add(row.getString(2));
                }
            }
            return observed;
        }
    }

    /** Answers when it was; null if nobody may judge a lease now. */
    private @Nullable Instant look(Connection connection, Collection<String> rooms, Map<String, Look> looks)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(members)) {
            query.setString(1, source);
            query.setArray(2, connection.createArrayOf("VARCHAR", rooms.toArray()));
            query.setString(3, source);
            Instant now = null;
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    now = row.getTimestamp(1).toInstant();
                    Instant beat = row.getTimestamp(2).toInstant();
                    if (beat.plus(outage).isBefore(now)) {
                        return null;
                    }
                    boolean isCompared = row.getBoolean(5);
                    boolean isFed = row.getBoolean(6);
                    String team = row.getString(4);
                    Look look = looks.computeIfAbsent(row.getString(3), room -> new Look(team, isCompared, isFed));
                    if (row.getString(7) != null) {
                        look.members.add(new Member(
                                row.getString(8),
                                new MemberView(
                                        row.getString(9),
                                        row.getTimestamp(10).toInstant(),
                                        row.getTimestamp(11) != null,
                                        row.getString(12))));
                    }
                }
            }
            return now == null ? clock.read() : now;
        }
    }

    private static void begin(Connection connection, Key key, String team, Instant now) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(BEGIN)) {
            insert.setString(1, Ids.make('m'));
            insert.setString(2, key.room());
            insert.setString(3, team);
            insert.setString(4, key.room());
            insert.setString(5, key.participant());
            insert.setString(6, key.participant());
            insert.setString(7, key.kind().wire());
            insert.setTimestamp(8, Timestamp.from(now));
            insert.setTimestamp(9, Timestamp.from(now));
            insert.setString(10, key.participant());
            insert.executeUpdate();
        }
    }

    private static void change(Connection connection, String sql, Instant at, String id) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setTimestamp(1, Timestamp.from(at));
            update.setString(2, id);
            update.executeUpdate();
        }
    }
}
