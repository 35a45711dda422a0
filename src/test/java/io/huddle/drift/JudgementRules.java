package io.huddle.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.drift.Judgement.Judged;
import io.huddle.drift.Messages.Claimed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The transaction of a window on a real database, whose clock is a row that the test moves: no test waits for a window.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class JudgementRules {
    private static final Instant BEGIN = Instant.parse("2026-11-30T12:00:16Z");
    private static final Duration WINDOW = Duration.ofSeconds(15);
    private static final String CLOCK = "(SELECT at FROM test_now WHERE id = 1)";
    private static final int RACERS = 4;
    private static final int RACES = 30;

    private Instant now = BEGIN;

    /** A connection in auto-commit mode, to a database of this test class alone. */
    abstract Connection connect() throws SQLException;

    /** Migrates; called once for each database. What repeats is for PostgreSQL alone, and nothing that drift needs. */
    static void migrate(String url, String user, String password) {
        Flyway.configure()
                .dataSource(url, user, password)
                .locations("filesystem:db")
                .repeatableSqlMigrationPrefix("none")
                .load()
                .migrate();
    }

    @BeforeEach
    void clock() throws SQLException {
        execute("CREATE TABLE IF NOT EXISTS test_now (id INTEGER PRIMARY KEY, at TIMESTAMP(6) WITH TIME ZONE)");
        execute("DELETE FROM test_now");
        update("INSERT INTO test_now (id, at) VALUES (1, ?)", now);
        update("UPDATE sweep_heartbeat SET graced_at = ?", now.minusSeconds(3_600));
        update("UPDATE sweep_heartbeat SET at = ?", now);
        execute("UPDATE rollout_stage SET stage = 'alerting'");
    }

    @AfterEach
    void empty() throws SQLException {
        for (String table : List.of(
                "alert_message",
                "alert",
                "drift_window",
                "drift_rejection",
                "room_observation",
                "room_event",
                "room_session",
                "room")) {
            execute("DELETE FROM " + table);
        }
        execute("UPDATE drift_turn SET spread = -1");
        execute("DELETE FROM rollout_stage WHERE scope <> 'deployment'");
    }

    private static Judgement judgement() {
        return new Judgement(Scenes.DEFAULTS, Duration.ofSeconds(1), Duration.ofSeconds(2), CLOCK, true);
    }

    @Nullable
    Judged judge() throws SQLException {
        return transaction(connection -> judgement().judge(connection));
    }

    /** One statement sequence of a transaction. */
    @FunctionalInterface
    interface Work<T> {
        @Nullable
        T run(Connection connection) throws SQLException;
    }

    private <T> @Nullable T transaction(Work<T> work) throws SQLException {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            T result = work.run(connection);
            connection.commit();
            return result;
        }
    }

    /** The next window: everybody's report and lease are fresh, unless the test says otherwise. */
    @Nullable
    Judged nextWindow() throws SQLException {
        pass(WINDOW);
        return judge();
    }

    private void pass(Duration time) throws SQLException {
        now = now.plus(time);
        update("UPDATE test_now SET at = ?", now);
        update("UPDATE sweep_heartbeat SET at = ?", now);
        update("UPDATE room_session SET lease_until = ? WHERE state <> 'absent'", now.plusSeconds(15));
        update("UPDATE room_session SET proven_at = ? WHERE state <> 'absent'", now.minusSeconds(2));
        update("UPDATE room_session SET media_at = ? WHERE media_state IS NOT NULL", now.minusSeconds(1));
    }

    void room(String id, boolean critical, boolean synthetic) throws SQLException {
        update(
                "INSERT INTO room (id, team, occurrence, open_occurrence, critical, synthetic, heartbeat_seconds,"
                        + " lease_seconds, suspended_lease_seconds, max_participants, state, created_by, created_at, seq,"
                        + " idempotency_key, fingerprint) VALUES (?, 'team', ?, ?, ?, ?, 5, 15, 120, 50, 'open', 'ada', ?,"
                        + " 1, ?, 'f')",
                id,
                id,
                id,
                critical,
                synthetic,
                now,
                id);
        update(
                "INSERT INTO room_event (room_id, seq, id, type, next, at, shadow)"
                        + " VALUES (?, 1, ?, 'room.opened', 'open', ?, FALSE)",
                id,
                "e-" + id,
                now);
    }

    void member(String room, String participant, @Nullable Boolean flowing) throws SQLException {
        update(
                "INSERT INTO room_session (id, room_id, participant, generation, state, lease_until, proven_at,"
                        + " joined_at, counter, room_open, heartbeat_seconds, lease_seconds, suspended_lease_seconds,"
                        + " media_state, media_flowing, media_at) VALUES (?, ?, ?, 1, 'present', ?, ?, ?, -1, TRUE, 5, 15,"
                        + " 120, ?, ?, ?)",
                "s-" + room + participant,
                room,
                participant,
                now.plusSeconds(15),
                now,
                now.minusSeconds(600),
                flowing == null ? null : "connected",
                flowing,
                flowing == null ? null : now);
    }

    private void lonely(String room) throws SQLException {
        room(room, false, false);
        member(room, "ada", true);
        member(room, "bob", false);
        member(room, "cyd", false);
        member(room, "dan", false);
    }

    @Test
    void alert_ofALonelyRoom_opensOnce_withItsFigures_andClosesItself() throws SQLException {
        lonely("r-1");
        assertThat(nextWindow()).satisfies(judged -> {
            assertThat(judged.sessions()).isEqualTo(4);
            assertThat(judged.drifting()).isOne();
            assertThat(judged.changed()).isEmpty();
        });
        nextWindow();
        assertThat(strings("SELECT kind FROM drifting_room WHERE room_id = 'r-1'"))
                .containsExactly("leases_without_media");

        Judged third = nextWindow();

        AlertJson alert = java.util.Objects.requireNonNull(third).changed().get(0);
        assertThat(alert.severity()).isEqualTo("investigate");
        assertThat(alert.room()).isEqualTo("r-1");
        assertThat(alert.roomState()).isEqualTo("open");
        assertThat(alert.activeLeases()).isEqualTo(4);
        assertThat(alert.suspects()).isZero();
        assertThat(alert.oldestUnrenewedLeaseSeconds()).isEqualTo(2);
        assertThat(alert.lastTransition()).isEqualTo("room.opened");
        assertThat(alert.openedAt()).isEqualTo(now);
        assertThat(alert.version()).isEqualTo(Scenes.DEFAULTS.version());
        assertThat(nextWindow())
                .satisfies(judged -> assertThat(judged.changed()).isEmpty());
        assertThat(strings("SELECT id FROM alert")).containsExactly(alert.id());
        assertThat(strings("SELECT settings FROM alert_version")).containsExactly(Scenes.DEFAULTS.text());

        execute("UPDATE room_session SET state = 'absent' WHERE participant <> 'ada'");
        assertThat(nextWindow())
                .satisfies(judged -> assertThat(judged.changed()).isEmpty());
        assertThat(nextWindow())
                .satisfies(judged -> assertThat(judged.changed())
                        .singleElement()
                        .satisfies(closed -> {
                            assertThat(closed.id()).isEqualTo(alert.id());
                            assertThat(closed.state()).isEqualTo("closed");
                            assertThat(closed.closeReason()).isEqualTo("clean");
                            assertThat(closed.activeLeases()).isOne();
                        }));
        assertThat(strings("SELECT kind FROM drifting_room")).isEmpty();
    }

    @Test
    void alert_escalatesWithThreeRooms_andOneMessageTellsOfAll() throws SQLException {
        for (int i = 1; i <= 3; i++) {
            lonely("r-" + i);
        }
        for (int i = 0; i < 6; i++) {
            nextWindow();
        }
        assertThat(strings("SELECT DISTINCT severity FROM alert")).containsExactly("investigate");
        nextWindow();
        assertThat(strings("SELECT DISTINCT severity FROM alert")).containsExactly("page");
        assertThat(strings("SELECT count(DISTINCT group_id) FROM alert")).containsExactly("1");
        assertThat(strings("SELECT body FROM alert_message ORDER BY created_at"))
                .satisfiesExactly(
                        opened ->
                                assertThat(opened).contains("\"alerts.opened\"").contains("\"total\":3"),
                        paged -> assertThat(paged)
                                .contains("\"alerts.escalated\"")
                                .contains("\"total\":3"));
    }

    @Test
    void room_synthetic_closing_orOfASilencedTeam_raisesNothing() throws SQLException {
        lonely("r-1");
        execute("UPDATE room SET synthetic = TRUE");
        for (int i = 0; i < 4; i++) {
            assertThat(nextWindow())
                    .satisfies(judged -> assertThat(judged.drifting()).isZero());
        }
        execute("UPDATE room SET synthetic = FALSE");
        execute("UPDATE room SET state = 'closing', open_occurrence = NULL");
        for (int i = 0; i < 4; i++) {
            assertThat(nextWindow())
                    .satisfies(judged -> assertThat(judged.drifting()).isZero());
        }
        execute("UPDATE room SET state = 'open'");
        update(
                "INSERT INTO rollout_stage (scope, stage, changed_at, changed_by) VALUES ('team:team', 'leases', ?, '')",
                now);
        for (int i = 0; i < 4; i++) {
            assertThat(nextWindow())
                    .satisfies(judged -> assertThat(judged.drifting()).isOne());
        }
        assertThat(strings("SELECT id FROM alert")).isEmpty();

        execute("UPDATE rollout_stage SET stage = 'leases'");
        execute("UPDATE rollout_stage SET stage = 'alerting' WHERE scope = 'team:team'");
        nextWindow();
        assertThat(strings("SELECT severity FROM alert")).containsExactly("investigate");
        execute("UPDATE room SET state = 'closing'");
        nextWindow();
        assertThat(strings("SELECT close_reason FROM alert")).containsExactly("room-closing");
    }

    @Test
    void criticalRoom_opensAsAPage_andStageGoingBackEndsIt() throws SQLException {
        room("r-1", true, false);
        member("r-1", "ada", true);
        member("r-1", "bob", false);
        nextWindow();
        nextWindow();
        nextWindow();
        assertThat(strings("SELECT severity FROM alert")).containsExactly("page");
        assertThat(strings("SELECT id FROM alert WHERE paged_at = opened_at")).hasSize(1);
        execute("UPDATE rollout_stage SET stage = 'fencing'");
        nextWindow();
        assertThat(strings("SELECT close_reason FROM alert")).containsExactly("stage");
    }

    @Test
    void windowThatNobodyJudged_neitherRaisesNorClears() throws SQLException {
        lonely("r-1");
        nextWindow();
        nextWindow();
        pass(WINDOW.multipliedBy(3));
        assertThat(judge()).isNotNull();
        assertThat(strings("SELECT id FROM alert")).isEmpty();
        nextWindow();
        nextWindow();
        assertThat(strings("SELECT id FROM alert WHERE closed_at IS NULL")).hasSize(1);
        execute("UPDATE room_session SET media_flowing = TRUE");
        nextWindow();
        pass(WINDOW.multipliedBy(20));
        execute("UPDATE room_session SET media_flowing = FALSE");
        judge();
        assertThat(strings("SELECT clean_windows FROM alert WHERE closed_at IS NULL"))
                .containsExactly("0");
    }

    @Test
    void windowOfAnOutage_isNoData() throws SQLException {
        lonely("r-1");
        pass(WINDOW);
        update("UPDATE sweep_heartbeat SET at = ?", now.minusSeconds(3));
        assertThat(judge()).as("a beat that is stale").isNull();
        update("UPDATE sweep_heartbeat SET at = ?", now.plusSeconds(3));
        assertThat(judge()).as("a clock that stepped back").isNull();
        update("UPDATE sweep_heartbeat SET at = ?", now);
        update("UPDATE sweep_heartbeat SET graced_at = ?", now.minusSeconds(14));
        assertThat(judge()).as("an outage forgiven within the window").isNull();
        assertThat(strings("SELECT version FROM drift_window")).isEmpty();
        update("UPDATE sweep_heartbeat SET graced_at = ?", now.minusSeconds(17));
        assertThat(judge()).isNotNull();
    }

    @Test
    void rejections_ofSeveralNodes_areOneSum() throws SQLException {
        room("r-1", false, false);
        member("r-1", "ada", null);
        pass(WINDOW);
        Instant start = Window.due(now, WINDOW, Duration.ofSeconds(1)).start();
        count("r-1", "n-1", 3, start);
        count("r-1", "n-2", 2, start);
        count("r-1", "n-2", 40, start.minus(WINDOW));
        assertThat(judge()).satisfies(judged -> assertThat(judged.drifting()).isOne());
        assertThat(strings("SELECT kind FROM drifting_room")).containsExactly("rejections");
        assertThat(nextWindow())
                .satisfies(judged -> assertThat(judged.drifting()).isZero());
    }

    @Test
    void observations_ofAMediaServer_areEvidenceAsOwnReportsAre() throws SQLException {
        room("r-1", false, false);
        member("r-1", "ada", null);
        member("r-1", "bob", null);
        pass(WINDOW);
        observe("sfu", "bob", "gone");
        observe("sfu", "eve", "flowing");
        assertThat(judge()).isNotNull();
        assertThat(strings("SELECT kind FROM drifting_room ORDER BY kind"))
                .containsExactly("leases_without_media", "media_without_lease");
        pass(WINDOW);
        observe("sfu-2", "bob", "flowing");
        execute("DELETE FROM room_observation WHERE participant = 'eve'");
        assertThat(judge()).satisfies(judged -> assertThat(judged.drifting()).isZero());
    }

    /** Who is removed while drifting was a ghost: by the same evidence as the window's, of which the latest counts. */
    @Test
    void session_ofADriftingRoom_driftsByTheLatestThatIsSaidOfIt() throws SQLException {
        lonely("r-1");
        assertThat(drifts("bob", 1)).as("before any window").isFalse();
        nextWindow();

        assertThat(drifts("ada", 1)).as("flows").isFalse();
        assertThat(drifts("bob", 1)).isTrue();
        assertThat(drifts("bob", 2)).as("another generation").isFalse();
        execute("UPDATE room_session SET media_state = 'failed', media_flowing = NULL WHERE participant = 'cyd'");
        assertThat(drifts("cyd", 1)).isTrue();
        execute("UPDATE room_session SET media_state = NULL, media_flowing = NULL, media_at = NULL"
                + " WHERE participant = 'dan'");
        assertThat(drifts("dan", 1)).as("nobody says anything").isFalse();

        now = now.plusSeconds(2);
        observe("sfu-1", "ada", "silent");
        observe("sfu-1", "bob", "flowing");
        observe("sfu-1", "dan", "gone");
        assertThat(drifts("ada", 1)).isTrue();
        assertThat(drifts("bob", 1)).isFalse();
        assertThat(drifts("dan", 1)).isTrue();
        now = now.plusSeconds(2);
        observe("sfu-2", "ada", "flowing");
        assertThat(drifts("ada", 1)).as("one source overruled by another").isFalse();
    }

    private boolean drifts(String participant, long generation) throws SQLException {
        return Boolean.TRUE.equals(
                transaction(connection -> DriftingSessions.isDrifting(connection, "s-r-1" + participant, generation)));
    }

    /** A user's audio had ended and the socket was alive: still counted as fine. Without the flag, failed says enough. */
    @Test
    void report_ofFailedMedia_withoutTheFlag_isEvidence() throws SQLException {
        room("r-1", false, false);
        member("r-1", "ada", true);
        member("r-1", "bob", true);
        execute("UPDATE room_session SET media_state = 'failed', media_flowing = NULL WHERE participant = 'bob'");
        assertThat(nextWindow())
                .satisfies(judged -> assertThat(judged.drifting()).isOne());
        execute("UPDATE room_session SET media_state = 'disconnected' WHERE participant = 'bob'");
        assertThat(nextWindow())
                .satisfies(judged -> assertThat(judged.drifting()).isZero());
    }

    @Test
    void window_thatSeveralNodesJudgeAtOnce_isJudgedOnce() throws Exception {
        lonely("r-1");
        Set<Instant> starts = new HashSet<>();
        int opened = 0;
        int closed = 0;
        for (int race = 0; race < RACES; race++) {
            // Drifts for six windows, agrees for six, and so on: alerts open and close while the nodes race.
            execute("UPDATE room_session SET media_flowing = " + (race / 6 % 2 == 1) + " WHERE participant <> 'ada'");
            pass(WINDOW);
            List<Judged> judged = race(this::judge);
            assertThat(judged).as("race %d", race).hasSize(1);
            assertThat(starts.add(judged.get(0).window().start())).isTrue();
            for (AlertJson alert : judged.get(0).changed()) {
                opened += alert.closedAt() == null ? 1 : 0;
                closed += alert.closedAt() == null ? 0 : 1;
            }
        }
        assertThat(strings("SELECT started_at FROM drift_window")).hasSize(RACES);
        assertThat(opened).isEqualTo(3);
        assertThat(closed).isEqualTo(2);
        assertThat(strings("SELECT id FROM alert")).hasSize(3);
        assertThat(strings("SELECT id FROM alert_message")).hasSize(5);
    }

    @Test
    void window_whoseTransactionIsRolledBack_leavesNothing_andIsJudgedByTheNext() throws SQLException {
        lonely("r-1");
        nextWindow();
        nextWindow();
        pass(WINDOW);
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            assertThat(judgement().judge(connection)).isNotNull();
            assertThat(judge()).as("another node, while the row is held").isNull();
            connection.rollback();
        }
        assertThat(strings("SELECT id FROM alert")).isEmpty();
        assertThat(strings("SELECT id FROM alert_message")).isEmpty();
        assertThat(judge()).satisfies(judged -> assertThat(judged.changed()).hasSize(1));
        assertThat(judge()).as("once more").isNull();
    }

    @Test
    void message_isClaimedByOneNode_andByAnotherOnceItsClaimHasRunOut() throws Exception {
        lonely("r-1");
        for (int i = 0; i < 3; i++) {
            nextWindow();
        }
        List<Claimed> claimed = race(this::claim);
        assertThat(claimed).singleElement().satisfies(message -> {
            assertThat(message.id()).matches("msg_[0-9a-z]{26}");
            assertThat(message.tries()).isOne();
            assertThat(message.body()).contains("\"alerts.opened\"").contains("\"room\":\"r-1\"");
        });

        pass(Duration.ofSeconds(31));
        Claimed again = claim();
        assertThat(again).satisfies(message -> {
            assertThat(message.id()).isEqualTo(claimed.get(0).id());
            assertThat(message.body()).isEqualTo(claimed.get(0).body());
            assertThat(message.tries()).isEqualTo(2);
        });
        // The first node comes back late: it may say that the message arrived, but not when it is tried again.
        transaction(connection -> {
            new Messages(connection).later(claimed.get(0), now);
            return true;
        });
        assertThat(claim()).isNull();
        transaction(connection -> {
            new Messages(connection).done(claimed.get(0), Settlement.DELIVERED, now);
            return true;
        });
        pass(Duration.ofSeconds(31));
        assertThat(claim()).isNull();
        assertThat(strings("SELECT outcome FROM alert_message")).containsExactly("delivered");
    }

    @Test
    void message_ofAnEnd_waitsForTheBeginning() throws SQLException {
        lonely("r-1");
        for (int i = 0; i < 3; i++) {
            nextWindow();
        }
        execute("UPDATE room SET state = 'closing'");
        nextWindow();
        Claimed first = java.util.Objects.requireNonNull(claim());
        assertThat(first.body()).contains("alerts.opened");
        transaction(connection -> {
            new Messages(connection).later(first, now.plusSeconds(5));
            return true;
        });
        assertThat(claim()).as("the end, while the beginning waits").isNull();
        pass(Duration.ofSeconds(5));
        Claimed second = java.util.Objects.requireNonNull(claim());
        assertThat(second.id()).isEqualTo(first.id());
        transaction(connection -> {
            new Messages(connection).done(second, Settlement.GIVEN_UP, now);
            return true;
        });
        assertThat(claim()).satisfies(message -> assertThat(message.body()).contains("alerts.closed"));
    }

    private @Nullable Claimed claim() throws SQLException {
        return transaction(connection -> new Messages(connection).claim(now, Duration.ofSeconds(30)));
    }

    /** What those that came first answered; a racer that finds the row locked for too long has simply not come first. */
    private static <T> List<T> race(Callable<@Nullable T> racer) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(RACERS);
        try {
            CyclicBarrier start = new CyclicBarrier(RACERS);
            List<Future<@Nullable T>> racers = new ArrayList<>();
            for (int i = 0; i < RACERS; i++) {
                racers.add(threads.submit(() -> {
                    start.await();
                    return racer.call();
                }));
            }
            List<T> won = new ArrayList<>();
            for (Future<@Nullable T> one : racers) {
                T result = one.get();
                if (result != null) {
                    won.add(result);
                }
            }
            return won;
        } finally {
            threads.shutdownNow();
        }
    }

    private void observe(String source, String participant, String media) throws SQLException {
        update(
                "INSERT INTO room_observation (room_id, source, participant, media, observed_at, received_at)"
                        + " VALUES ('r-1', ?, ?, ?, ?, ?)",
                source,
                participant,
                media,
                now.minusSeconds(1),
                now);
    }

    private void count(String room, String node, int rejections, Instant start) throws SQLException {
        update(
                "INSERT INTO drift_rejection (started_at, room_id, counted_by, rejections) VALUES (?, ?, ?, ?)",
                start,
                room,
                node,
                rejections);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void update(String sql, @Nullable Object... values) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement update = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                Object value = values[i] instanceof Instant instant ? Timestamp.from(instant) : values[i];
                update.setObject(i + 1, value);
            }
            update.executeUpdate();
        }
    }

    private List<String> strings(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> strings = new ArrayList<>();
            while (rows.next()) {
                strings.add(rows.getString(1));
            }
            return strings;
        }
    }
}
