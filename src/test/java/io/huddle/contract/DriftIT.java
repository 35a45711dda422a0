package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drift and alerts as people in a room and on call see them; the windows pass by the clock that the test moves. */
class DriftIT extends Contract {
    private static final String ALERTS = "/admin/alerts";
    private static final Duration WINDOW = Duration.ofSeconds(15);

    @BeforeEach
    void nobodyElse() {
        site.store().update("UPDATE room_session SET state = 'absent', ending = 'left' WHERE state <> 'absent'");
    }

    /** A member, and whether audio reaches it. */
    private record Heard(Membership member, boolean flowing) {
        Heard silent() {
            return new Heard(member, false);
        }

        void live() {
            member.renew().assertStatus(200);
            report(member, "connected", flowing).assertStatus(204);
        }
    }

    private static Answer report(Membership member, String state, boolean flowing) {
        return member.api()
                .post(
                        "/rooms/" + member.room() + "/sessions/" + member.session() + "/media",
                        Api.json()
                                .add("generation", member.generation())
                                .add("state", state)
                                .add("flowing", flowing)
                                .build());
    }

    /** A node that has just started has given everybody a grace, and the window of a grace is no data. */
    @BeforeEach
    void pastAnyGrace() {
        Object graced =
                site.store().column("SELECT graced_at FROM sweep_heartbeat").get(0);
        long now = site.clock().now().getEpochSecond();
        Instant start = Instant.ofEpochSecond(now / 15 * 15);
        if (!instant(graced).isBefore(start)) {
            nextWindow();
        }
    }

    private static Instant instant(Object time) {
        return time instanceof java.time.OffsetDateTime zoned
                ? zoned.toInstant()
                : ((java.sql.Timestamp) time).toInstant();
    }

    /** Everybody renews and reports, the window ends, and the node has judged it. */
    private void window(List<Heard> people) {
        people.forEach(Heard::live);
        Instant start = nextWindow();
        Awaiting.until("the window is judged", () -> isJudged(start));
    }

    /** Moves the clock to three seconds after the end of the window that runs, and answers that window's start. */
    private Instant nextWindow() {
        Instant before = site.clock().now();
        Instant start = Instant.ofEpochSecond(before.getEpochSecond() / 15 * 15);
        site.advance(Duration.between(before, start.plus(WINDOW).plusSeconds(3)));
        return start;
    }

    private boolean isJudged(Instant start) {
        return !site.store()
                .column("SELECT started_at FROM drift_window WHERE started_at >= ?", java.sql.Timestamp.from(start))
                .isEmpty();
    }

    private List<String> drift(String room) {
        return site.store().column("SELECT kind FROM drifting_room WHERE room_id = ? ORDER BY kind", room).stream()
                .map(String::valueOf)
                .toList();
    }

    private List<JsonObject> alerts(String state, String room) {
        JsonArray items = operator()
                .get(ALERTS + "?state=" + state + "&limit=200")
                .assertStatus(200)
                .json()
                .getJsonArray("items");
        return items.getValuesAs(JsonObject.class).stream()
                .filter(alert -> alert.getString("room").equals(room))
                .toList();
    }

    /**
     * A clinician was alone in the huddle while three colleagues were listed as connected. The three renew, but their media
     * has stopped: the drift shows within two windows, an alert opens once and says what to look at, the operator removes
     * exactly the three, and the alert closes itself.
     */
    @Test
    void lonelyRoom_isToldOfOnce_untilTheGhostsAreRemoved() {
        String room = openRoom(participant("ada"));
        List<Heard> people = new ArrayList<>();
        for (String who : List.of("ada", "bob", "cyd", "dan")) {
            people.add(new Heard(join(participant(who), room), true));
        }
        window(people);
        // One lost heartbeat is weak evidence, and none of this.
        window(people.subList(0, 3));
        assertThat(drift(room)).isEmpty();

        people.replaceAll(one -> one.member().equals(people.get(0).member()) ? one : one.silent());
        window(people);
        window(people);
        assertThat(drift(room)).containsExactly("leases_without_media");
        Awaiting.asserted(() -> assertThat(Metrics.of(site).value("huddle_drift_rooms", "kind", "leases_without_media"))
                .isOne());
        while (alerts("open", room).isEmpty()) {
            window(people);
        }
        List<JsonObject> open = alerts("open", room);
        assertThat(open).singleElement().satisfies(alert -> {
            assertThat(alert.getString("kind")).isEqualTo("leases_without_media");
            assertThat(alert.getString("severity")).isEqualTo("investigate");
            assertThat(alert.getString("state")).isEqualTo("open");
            assertThat(alert.getString("roomState")).isEqualTo("open");
            assertThat(alert.getInt("activeLeases")).isEqualTo(4);
            assertThat(alert.getInt("suspects")).isZero();
            assertThat(alert.getInt("oldestUnrenewedLeaseSeconds")).isBetween(3, 30);
            assertThat(alert.getString("lastTransition")).isEqualTo("participant.joined");
            assertThat(alert.getString("version")).matches("[0-9a-f]{12}");
            assertThat(alert.toString()).doesNotContain(team, "ada", "bob", "standup");
        });
        Instant opened = Instant.parse(open.get(0).getString("openedAt"));
        window(people);
        assertThat(alerts("open", room)).hasSize(1);
        assertThat(site.store().column("SELECT id FROM alert WHERE room_id = ?", room))
                .hasSize(1);
        Awaiting.asserted(() -> assertThat(Metrics.of(site)
                        .value("huddle_alerts_open", "kind", "leases_without_media", "severity", "investigate"))
                .isOne());

        for (Heard ghost : people.subList(1, 4)) {
            operatorWithReason()
                    .post(
                            "/admin/sessions/" + ghost.member().session() + "/remove",
                            Api.json()
                                    .add("generation", ghost.member().generation())
                                    .build())
                    .assertStatus(204);
        }
        window(people.subList(0, 1));
        window(people.subList(0, 1));
        assertThat(drift(room)).isEmpty();
        window(people.subList(0, 1));
        assertThat(alerts("open", room)).isEmpty();
        assertThat(alerts("closed", room)).singleElement().satisfies(alert -> {
            assertThat(alert.getString("closeReason")).isEqualTo("clean");
            assertThat(alert.getString("lastTransition")).isEqualTo("participant.removed");
            assertThat(alert.getInt("activeLeases")).isOne();
            assertThat(Instant.parse(alert.getString("openedAt"))).isEqualTo(opened);
        });
        assertThat(roster(room)).containsExactly("ada:present");
        assertThat(site.store()
                        .column("SELECT session_id FROM audit WHERE room_id = ? AND action = 'session.remove'", room))
                .hasSize(3)
                .containsExactlyInAnyOrderElementsOf(people.subList(1, 4).stream()
                        .map(ghost -> (Object) ghost.member().session())
                        .toList());
        assertThat(site.node().log().lines().filter(line -> line.contains("alert.opened") && line.contains(room)))
                .hasSize(1);
    }

    /** Case 5: the media of a member had failed, its socket was alive, and it was counted as fine. */
    @Test
    void failedMedia_ofAMemberThatRenews_isDriftAndDoubt_andNoChangeOfItsLease() {
        String room = openRoom(participant("ada"));
        Heard ada = new Heard(join(participant("ada"), room), true);
        Heard bob = new Heard(join(participant("bob"), room), true);
        window(List.of(ada, bob));
        Instant lease = row(bob.member().session()).leaseUntil();

        bob.member().media("failed").assertStatus(204);

        assertThat(row(bob.member().session()).state()).isEqualTo("suspect");
        assertThat(row(bob.member().session()).leaseUntil()).isEqualTo(lease);
        bob.member().renew().assertStatus(200);
        window(List.of(ada));
        Awaiting.asserted(() -> assertThat(drift(room)).containsExactly("leases_without_media"));
        assertThat(roster(room)).containsExactlyInAnyOrder("ada:present", "bob:present");
    }

    @Test
    void rejections_ofAnOldTab_driftTheRoom_andNotItsNextWindow() {
        Membership first = joined("ada");
        Membership second = first.again();
        window(List.of(new Heard(second, true)));

        for (int i = 0; i < 5; i++) {
            first.renew().assertProblem(409, "stale-generation");
        }
        Awaiting.until(
                "the counts are written",
                () -> Objects.equals(
                        site.store()
                                .column(
                                        "SELECT CAST(sum(rejections) AS INTEGER) FROM drift_rejection"
                                                + " WHERE room_id = ?",
                                        first.room())
                                .get(0),
                        5));

        nextWindow();
        Awaiting.asserted(() -> assertThat(drift(first.room())).containsExactly("rejections"));
        window(List.of(new Heard(second, true)));
        Awaiting.asserted(() -> assertThat(drift(first.room())).isEmpty());
    }

    @Test
    void alerts_areForOperators() {
        for (Api api : List.of(participant("ada"), integrator(), outsider())) {
            api.get(ALERTS).assertProblem(403, "forbidden");
        }
        Api.anonymous(site.node()).get(ALERTS).assertProblem(401, "unauthenticated");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"state=all", "state=", "state=OPEN", "limit=0", "limit=201", "limit=x", "cursor=x", "cursor=%00"
            })
    void list_ofWrongParameters_isInvalid(String query) {
        operator().get(ALERTS + "?" + query).assertProblem(400, "invalid-request");
    }

    @Test
    void list_inPages_tellsEachAlertOnce_newestFirst() {
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            String id = "l-" + unique();
            written.add(0, id);
            // Newer than any alert of another test.
            var at = java.sql.Timestamp.from(
                    site.clock().now().plus(Duration.ofDays(1)).plusSeconds(i));
            site.store()
                    .update(
                            "INSERT INTO alert (id, group_id, room_id, kind, severity, version, clean_windows, room_state,"
                                    + " active_leases, suspects, opened_at, updated_at, closed_at, close_reason)"
                                    + " VALUES (?, 'g-1', 'r-1', 'rejections', 'page', 'v', 2, 'closed', 0, 0, ?, ?, ?,"
                                    + " 'room-closing')",
                            id,
                            at,
                            at,
                            at);
        }
        try {
            List<String> read = new ArrayList<>();
            String next = "";
            for (int page = 0; page < 3; page++) {
                JsonObject answer = operator()
                        .get(ALERTS + "?state=closed&limit=2" + (next.isEmpty() ? "" : "&cursor=" + next))
                        .assertStatus(200)
                        .json();
                answer.getJsonArray("items")
                        .getValuesAs(JsonObject.class)
                        .forEach(alert -> read.add(alert.getString("id")));
                next = answer.getString("next", "");
            }
            assertThat(read.subList(0, 5)).isEqualTo(written);
        } finally {
            site.store().update("DELETE FROM alert WHERE room_id = 'r-1'");
        }
    }

    @Test
    void settings_areToldByTheirVersion() {
        assertThat(Metrics.of(site).samples())
                .filteredOn(sample -> sample.name().equals("huddle_alert_info"))
                .singleElement()
                .satisfies(sample -> {
                    assertThat(sample.value()).isOne();
                    assertThat(sample.labels().get("version")).matches("[0-9a-f]{12}");
                });
        Metrics metrics = Metrics.of(site);
        assertThat(metrics.value("huddle_objectives", "objective", "ghost_seconds"))
                .isEqualTo(20);
        assertThat(metrics.value("huddle_objectives", "objective", "ghosts_ppm"))
                .isEqualTo(1_000);
        assertThat(metrics.value("huddle_objectives", "objective", "false_removals_ppm"))
                .isEqualTo(1_000);
    }
}
