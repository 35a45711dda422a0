package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import jakarta.json.JsonObject;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens to rooms that nobody uses, and to rooms that are over. */
class RetentionIT extends Contract {
    private static final Duration A_RUN_OR_TWO = Duration.ofSeconds(3);

    @Test
    void room_withoutALeaseForTwelveHours_isClosedAsIdle_andAnOccupiedOneIsNot() {
        Api ada = participant("ada");
        String empty = openRoom(ada);
        Membership left = join(ada, openRoom(ada));
        left.leave().assertStatus(204);
        Membership in = join(ada, openRoom(ada));

        jump(Duration.ofHours(12).minusMinutes(5), in);
        Awaiting.holds(
                A_RUN_OR_TWO,
                "no room is closed before its time",
                () -> state(empty).equals("open") && state(left.room()).equals("open"));
        jump(Duration.ofMinutes(6), in);

        for (String room : new String[] {empty, left.room()}) {
            Awaiting.until("the idle room closed", () -> state(room).equals("closed"));
            assertThat(events(room, seq(room) - 2))
                    .extracting(event -> event.getString("type") + " " + event.getString("reason", ""))
                    .containsExactly("room.closing idle", "room.closed idle");
            ada.join(room).assertProblem(409, "room-closed");
        }
        assertThat(state(in.room())).isEqualTo("open");
        assertThat(roster(in.room())).containsExactly("ada:present");
    }

    @Test
    void occupiedRoom_afterAnOutageOfADay_isNotClosedAsIdle() {
        // The job found a room without an unexpired lease for twelve hours before the sweep had forgiven the outage.
        Membership ada = joined("ada");
        site.withoutSweep(() -> {
            site.clock().advance(Duration.ofDays(1));
            Awaiting.holds(
                    A_RUN_OR_TWO,
                    "the room is open while no lease may be judged",
                    () -> state(ada.room()).equals("open"));
        });
        Awaiting.until("renewed", () -> ada.renew().status() == 200);
        assertThat(state(ada.room())).isEqualTo("open");
    }

    @Test
    void closedRoom_isATombstoneUntilItsRetentionEnds_andThenGoesWithAllThatIsItsOwn() {
        Api ada = participant("ada");
        String occurrence = "standup-" + unique();
        String old =
                ada.createRoom(team, occurrence, "k").assertStatus(201).json().getString("id");
        String session = ada.join(old, "jk").assertStatus(201).json().getString("session");
        Membership in = join(ada, openRoom(ada));
        ada.close(old).assertStatus(200);

        jump(Duration.ofDays(29), in);
        Awaiting.holds(A_RUN_OR_TWO, "the tombstone is there", () -> state(old).equals("closed"));
        ada.join(old, "jk").assertProblem(409, "room-closed");
        Answer replayed = ada.createRoom(team, occurrence, "k").assertStatus(200);
        assertThat(replayed.json().getString("id")).isEqualTo(old);
        assertThat(events(old, 0)).hasSize(5);

        jump(Duration.ofDays(2), in);
        Awaiting.until("the tombstone is gone", () -> ada.room(old).isProblem("room-not-found"));
        assertThat(count("room_session", "room_id", old)).isZero();
        assertThat(count("session_join", "session_id", session)).isZero();
        assertThat(count("room_event", "room_id", old)).isZero();
        ada.roster(old).assertProblem(404, "room-not-found");
        ada.events(old, 0).assertProblem(404, "room-not-found");
        ada.renew(old, session, 1).assertProblem(404, "room-not-found");
        assertThat(ada.createRoom(team, occurrence, "k")
                        .assertStatus(201)
                        .json()
                        .getString("id"))
                .isNotEqualTo(old);
    }

    @Test
    void events_pastTheirRetention_goWhileTheirOpenRoomStays() {
        Membership in = joined("ada");
        jump(Duration.ofDays(31), in);
        Awaiting.until("the old events are gone", () -> count("room_event", "room_id", in.room()) == 0);

        JsonObject page = in.api().events(in.room(), 0).assertStatus(200).json();
        assertThat(page.getJsonObject("snapshot").getInt("seq")).isEqualTo(2);
        in.leave().assertStatus(204);
        assertThat(eventTypes(in.room(), 2)).containsExactly("participant.left");
    }

    @Test
    void audit_isKeptForLongerThanItsRoom_andThenGoes() {
        Membership in = joined("ada");
        String room = openRoom(participant("bob"));
        operatorWithReason().close(room).assertStatus(200);

        jump(Duration.ofDays(364), in);
        Awaiting.until("the room is gone", () -> count("room", "id", room) == 0);
        Awaiting.holds(A_RUN_OR_TWO, "the line is there", () -> count("audit", "room_id", room) == 1);
        jump(Duration.ofDays(2), in);

        Awaiting.until("the line is gone", () -> count("audit", "room_id", room) == 0);
    }

    /** What nobody delivers, because the webhook was taken away, was kept for ever and told as news to the next one. */
    @Test
    void alertsAndTheirMessages_goWithTheirRetention_deliveredOrNot() {
        for (String table : List.of("alert", "alert_message", "drift_window")) {
            Instant now = site.clock().now();
            Duration kept = Duration.ofHours(table.equals("drift_window") ? 24 : 2_160);
            String old = insert(table, now.minus(kept).minusSeconds(60));
            String young = insert(table, now.minus(kept).plusSeconds(3_600));

            Awaiting.until("the old one is gone", () -> count(table, keyOf(table), old) == 0);
            assertThat(count(table, keyOf(table), young)).as(table).isOne();
        }
    }

    private static String keyOf(String table) {
        return table.equals("drift_window") ? "version" : "id";
    }

    /** Answers what it is found by. */
    private String insert(String table, Instant at) {
        String id = "x" + unique().substring(0, 10);
        Timestamp time = Timestamp.from(at);
        switch (table) {
            case "alert" ->
                site.store()
                        .update(
                                "INSERT INTO alert (id, group_id, room_id, kind, severity, version, clean_windows,"
                                        + " room_state, active_leases, suspects, opened_at, updated_at, closed_at,"
                                        + " close_reason) VALUES (?, 'g-1', 'r-1', 'rejections', 'page', 'v', 2, 'closed',"
                                        + " 0, 0, ?, ?, ?, 'clean')",
                                id,
                                time,
                                time,
                                time);
            case "alert_message" ->
                site.store()
                        .update(
                                "INSERT INTO alert_message (id, group_id, body, created_at, due_at, tries)"
                                        + " VALUES (?, 'g-1', '{}', ?, ?, 0)",
                                id,
                                time,
                                time);
            default ->
                site.store()
                        .update(
                                "INSERT INTO drift_window (started_at, seconds, judged_at, version, sessions)"
                                        + " VALUES (?, 15, ?, ?, 0)",
                                time,
                                time,
                                id);
        }
        return id;
    }

    @Test
    void audit_onPostgresql_takesLinesAndNothingElse() {
        String room = openRoom(participant("ada"));
        operatorWithReason().close(room).assertStatus(200);
        if (site == Site.H2) {
            // Its application keeps to it alone.
            assertThat(site.store().update("DELETE FROM audit WHERE room_id = ?", room))
                    .isOne();
            return;
        }
        for (String statement : List.of(
                "UPDATE audit SET reason = 'none' WHERE room_id = '" + room + "'",
                "DELETE FROM audit WHERE room_id = '" + room + "'",
                "TRUNCATE audit")) {
            assertThatThrownBy(() -> site.store().update(statement))
                    .as(statement)
                    .rootCause()
                    .hasMessageContaining("append-only");
        }
        assertThat(count("audit", "room_id", room)).isOne();
    }

    /** As an outage of every node would be; the member is still in afterwards. */
    private void jump(Duration by, Membership member) {
        site.clock().advance(by);
        Awaiting.until("renewed after the jump", () -> member.renew().status() == 200);
    }

    private String state(String room) {
        return String.valueOf(
                site.store().column("SELECT state FROM room WHERE id = ?", room).get(0));
    }

    private int count(String table, String column, String id) {
        return site.store()
                .column("SELECT 1 FROM " + table + " WHERE " + column + " = ?", id)
                .size();
    }
}
