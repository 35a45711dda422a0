package io.huddle.drift;

import io.huddle.drift.AlertRows.Row;
import io.huddle.drift.AlertRules.End;
import io.huddle.drift.AlertRules.Next;
import io.huddle.drift.AlertRules.Outcome;
import io.huddle.drift.AlertRules.Subject;
import io.huddle.drift.AlertRules.Watch;
import io.huddle.web.Ids;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Judges the window that is due, in the caller's transaction: its row, what it found, the alerts that changed, and what is
 * to be told of them, all or nothing.
 *
 * <p>Who holds the one row of {@code drift_turn} judges; the others come back at once. So windows are judged one after the
 * other, and an alert's state is only ever read by the transaction that writes it. The window's own row, whose key is its
 * start, is the last guard.
 *
 * <p>While the sweep's beat is stale, or if an outage was forgiven since the window began, leases were not judged and
 * nobody could report: the window is no data.
 */
final class Judgement {
    private static final Duration CLOCK_STEPPED_BACK = Duration.ofSeconds(1);
    private static final String TURN = "SELECT spread FROM drift_turn WHERE id = 1 FOR UPDATE SKIP LOCKED";
    private static final String TURN_OVER = "UPDATE drift_turn SET spread = ? WHERE id = 1";
    private static final String JUDGED = "SELECT started_at FROM drift_window WHERE started_at = ?";
    private static final String INSERT_WINDOW =
            "INSERT INTO drift_window (started_at, seconds, judged_at, version, sessions) VALUES (?, ?, ?, ?, ?)";
    private static final String INSERT_ROOM = "INSERT INTO drift_room (started_at, room_id, kind) VALUES (?, ?, ?)";
    private static final String EARLIER = "SELECT room_id, kind, count(*) FROM drift_room"
            + " WHERE started_at >= ? AND started_at < ? GROUP BY room_id, kind";
    private static final String KNOWN_VERSION = "SELECT version FROM alert_version WHERE version = ?";
    private static final String INSERT_VERSION =
            "INSERT INTO alert_version (version, settings, first_used_at) VALUES (?, ?, ?)";

    private final Thresholds thresholds;
    private final String version;
    private final Duration delay;
    private final Duration outageLimit;
    private final String moment;
    private final boolean isTold;

    /**
     * @param delay how long after its end a window is judged, so that every node's counts are in
     * @param outageLimit how old the sweep's beat may be
     * @param clock the database's clock, in SQL
     * @param isTold whether a webhook waits for messages
     */
    Judgement(Thresholds thresholds, Duration delay, Duration outageLimit, String clock, boolean isTold) {
        this.thresholds = thresholds;
        this.version = thresholds.version();
        this.delay = delay;
        this.outageLimit = outageLimit;
        this.moment = "SELECT " + clock + ", at, graced_at FROM sweep_heartbeat WHERE id = 1";
        this.isTold = isTold;
    }

    /**
     * A window that this call judged.
     *
     * @param sessions whose leases ran
     * @param changed the alerts it opened, made a page, or closed
     */
    record Judged(Window window, int sessions, int drifting, List<AlertJson> changed) {}

    /** The time, and how far the sweeps have judged. */
    private record Moment(Instant now, Instant beat, Instant graced) {}

    /** @return null if nothing is due, another node judges, or the window is no data */
    @Nullable
    Judged judge(Connection connection) throws SQLException {
        Integer spread = turn(connection);
        if (spread == null) {
            return null;
        }
        Moment moment = moment(connection);
        Window window = Window.due(moment.now(), thresholds.window(), delay);
        if (isJudged(connection, window) || !isData(moment, window)) {
            return null;
        }
        Survey survey = new Survey(connection);
        Map<String, RoomPicture> pictures = survey.take(window, moment.now(), thresholds.evidence());
        Set<Subject> found = new TreeSet<>();
        int sessions = 0;
        for (RoomPicture picture : pictures.values()) {
            sessions += picture.leased(moment.now()).size();
            DriftRules.judge(picture, window.start(), moment.now(), thresholds)
                    .forEach(kind -> found.add(new Subject(picture.room(), kind)));
        }
        write(connection, window, moment.now(), sessions, found);
        AlertRows rows = new AlertRows(connection);
        List<Row> open = rows.open();
        Map<String, Facts> facts = survey.facts(rooms(found, open), pictures, moment.now());
        Outcome outcome = AlertRules.next(
                found,
                earlier(connection, window),
                open.stream().map(Row::open).toList(),
                watches(facts),
                spread,
                thresholds);
        Changes changes = new Changes(open, facts, moment.now(), version);
        outcome.alerts().forEach(changes::add);
        rows.insert(changes.opened());
        rows.update(changes.kept());
        if (isTold) {
            new Messages(connection).write(changes, moment.now());
        }
        turnOver(connection, outcome.spread());
        return new Judged(window, sessions, found.size(), changes.told());
    }

    private static @Nullable Integer turn(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(TURN);
                ResultSet row = query.executeQuery()) {
            return row.next() ? Integer.valueOf(row.getInt(1)) : null;
        }
    }

    private static void turnOver(Connection connection, int spread) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(TURN_OVER)) {
            update.setInt(1, spread);
            update.executeUpdate();
        }
    }

    private Moment moment(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(moment);
                ResultSet row = query.executeQuery()) {
            row.next();
            return new Moment(
                    row.getTimestamp(1).toInstant(),
                    row.getTimestamp(2).toInstant(),
                    row.getTimestamp(3).toInstant());
        }
    }

    private static boolean isJudged(Connection connection, Window window) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(JUDGED)) {
            query.setTimestamp(1, Timestamp.from(window.start()));
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private boolean isData(Moment moment, Window window) {
        boolean isStale = moment.beat().plus(outageLimit).isBefore(moment.now())
                || moment.beat().isAfter(moment.now().plus(CLOCK_STEPPED_BACK));
        return !isStale && moment.graced().isBefore(window.start());
    }

    private void write(Connection connection, Window window, Instant now, int sessions, Set<Subject> found)
            throws SQLException {
        keepVersion(connection, now);
        Timestamp start = Timestamp.from(window.start());
        try (PreparedStatement insert = connection.prepareStatement(INSERT_WINDOW)) {
            insert.setTimestamp(1, start);
            insert.setLong(2, window.length().toSeconds());
            insert.setTimestamp(3, Timestamp.from(now));
            insert.setString(4, version);
            insert.setInt(5, sessions);
            insert.executeUpdate();
        }
        try (PreparedStatement insert = connection.prepareStatement(INSERT_ROOM)) {
            for (Subject subject : found) {
                insert.setTimestamp(1, start);
                insert.setString(2, subject.room());
                insert.setString(3, subject.kind().wire());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private void keepVersion(Connection connection, Instant now) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(KNOWN_VERSION)) {
            query.setString(1, version);
            try (ResultSet row = query.executeQuery()) {
                if (row.next()) {
                    return;
                }
            }
        }
        try (PreparedStatement insert = connection.prepareStatement(INSERT_VERSION)) {
            insert.setString(1, version);
            insert.setString(2, thresholds.text());
            insert.setTimestamp(3, Timestamp.from(now));
            insert.executeUpdate();
        }
    }

    /** On the grid and not by rows: after a pause in which nobody judged, what was before it is too long ago to count. */
    private Map<Subject, Integer> earlier(Connection connection, Window window) throws SQLException {
        Map<Subject, Integer> earlier = new HashMap<>();
        try (PreparedStatement query = connection.prepareStatement(EARLIER)) {
            query.setTimestamp(
                    1, Timestamp.from(window.back(thresholds.among() - 1).start()));
            query.setTimestamp(2, Timestamp.from(window.start()));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    earlier.put(new Subject(row.getString(1), DriftKind.of(row.getString(2))), row.getInt(3));
                }
            }
        }
        return earlier;
    }

    private static Set<String> rooms(Set<Subject> found, List<Row> open) {
        Set<String> rooms = new TreeSet<>();
        found.forEach(subject -> rooms.add(subject.room()));
        open.forEach(row -> rooms.add(row.alert().room()));
        return rooms;
    }

    private static Map<String, Watch> watches(Map<String, Facts> facts) {
        Map<String, Watch> watches = new HashMap<>();
        facts.forEach((room, fact) -> watches.put(room, fact.watch()));
        return watches;
    }

    /** The rows to write, and of them those that somebody is to be told of. */
    static final class Changes {
        private final Map<Subject, AlertJson> before = new HashMap<>();
        private final Map<String, Facts> facts;
        private final Instant now;
        private final String version;
        private final String group;
        private final List<Row> opened = new ArrayList<>();
        private final List<Row> kept = new ArrayList<>();
        private final List<AlertJson> escalated = new ArrayList<>();
        private final List<AlertJson> closed = new ArrayList<>();

        /** Alerts that are open at the same time are of one group. */
        Changes(List<Row> open, Map<String, Facts> facts, Instant now, String version) {
            open.forEach(row -> before.put(row.subject(), row.alert()));
            this.facts = facts;
            this.now = now;
            this.version = version;
            this.group = open.isEmpty()
                    ? Ids.make('g')
                    : open.get(open.size() - 1).alert().group();
        }

        void add(Next next) {
            Facts fact = facts.getOrDefault(next.subject().room(), Facts.GONE);
            AlertJson old = before.get(next.subject());
            AlertJson alert = json(next, fact, old);
            Row row = new Row(alert, next.clean());
            (old == null ? opened : kept).add(row);
            if (next.end() != null) {
                closed.add(alert);
            } else if (next.isEscalated()) {
                escalated.add(alert);
            }
        }

        private AlertJson json(Next next, Facts fact, @Nullable AlertJson old) {
            End end = next.end();
            Instant pagedBefore = old == null ? null : old.pagedAt();
            boolean isPage = next.severity() == Severity.PAGE;
            return new AlertJson(
                    old == null ? Ids.make('l') : old.id(),
                    old == null ? group : old.group(),
                    next.subject().kind().wire(),
                    next.severity().wire(),
                    end == null ? AlertJson.OPEN : AlertJson.CLOSED,
                    next.subject().room(),
                    fact.roomState(),
                    fact.leases(),
                    fact.suspects(),
                    fact.oldestSeconds(),
                    fact.transition(),
                    fact.transitionAt(),
                    old == null ? now : old.openedAt(),
                    isPage ? Objects.requireNonNullElse(pagedBefore, now) : null,
                    now,
                    end == null ? null : now,
                    end == null ? null : end.wire(),
                    old == null ? version : old.version());
        }

        List<Row> opened() {
            return opened;
        }

        List<Row> kept() {
            return kept;
        }

        List<AlertJson> openedAlerts() {
            return opened.stream().map(Row::alert).toList();
        }

        List<AlertJson> escalated() {
            return escalated;
        }

        List<AlertJson> closed() {
            return closed;
        }

        List<AlertJson> told() {
            List<AlertJson> told = new ArrayList<>(openedAlerts());
            told.addAll(escalated);
            told.addAll(closed);
            return told;
        }
    }
}
