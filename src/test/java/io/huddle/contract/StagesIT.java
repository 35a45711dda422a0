package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Tokens;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rollout stages of a team while its rooms are in use: what is enforced, what is only counted, forward and back. */
class StagesIT extends StreamContract {
    private static final Duration SWEEPS = Duration.ofMillis(600);

    private Answer stage(String name) {
        return operatorWithReason()
                .put("/admin/stages/team:" + team, Api.json().add("stage", name).build());
    }

    private void become(String name) {
        stage(name).assertStatus(200);
    }

    private List<JsonObject> mismatches(String filter) {
        return operator()
                .get("/admin/mismatches?team=" + team + filter)
                .assertStatus(200)
                .json()
                .getJsonArray("items")
                .getValuesAs(JsonObject.class);
    }

    private void awaitMismatch(String kind, String session, boolean open) {
        Awaiting.until(
                kind + " of " + session + (open ? " is open" : " is over"),
                () -> mismatches("&kind=" + kind + "&open=" + open).stream()
                        .anyMatch(one -> one.getString("session", "").equals(session)));
    }

    private List<String> expiries(String room) {
        return events(room, 0).stream()
                .filter(event -> event.getString("type").equals("participant.expired"))
                .map(event -> event.getInt("generation") + (event.getBoolean("shadow", false) ? " shadow" : ""))
                .toList();
    }

    private String rosterStage(String room) {
        return operator().roster(room).json().getString("stage");
    }

    @Test
    void shadow_countsGenerationsAndLeases_andEnforcesNothing() {
        become("shadow");
        Membership old = joined("ada");
        Membership ada = old.again();
        String room = ada.room();
        assertThat(rosterStage(room)).isEqualTo("shadow");

        old.renew().assertStatus(200);
        awaitMismatch("stale_generation", ada.session(), true);

        lapse(ada.session());
        Awaiting.until("the lapse is told", () -> expiries(room).equals(List.of("2 shadow")));
        assertThat(roster(room)).containsExactly("ada:present");
        awaitMismatch("shown_without_lease", ada.session(), true);

        // A late renewal of either generation revives it, and the same generation's next lapse is no news.
        old.renew().assertStatus(200);
        assertThat(row(ada.session()).leaseUntil()).isAfter(site.clock().now());
        participant("bob").join(room).assertStatus(201);
        awaitMismatch("shown_without_lease", ada.session(), false);
        lapse(ada.session());
        Awaiting.holds(SWEEPS, "told once", () -> expiries(room).equals(List.of("2 shadow")));
        ada.renew().assertStatus(200);

        Metrics metrics = Metrics.of(site);
        assertThat(metrics.value("huddle_shadow_mismatches_total", "kind", "stale_generation"))
                .isPositive();
        assertThat(metrics.value("huddle_transitions_total", "transition", "renew", "reason", "stale-generation"))
                .isPositive();
        assertThat(operator()
                        .get("/admin/mismatches?team=" + team)
                        .json()
                        .getJsonArray("sums")
                        .getValuesAs(JsonObject.class))
                .extracting(sum -> sum.getString("kind"))
                .containsExactly("shown_without_lease", "stale_generation");
    }

    @Test
    void shadow_showsWhoIsConnected_andMembersWithoutAStream() {
        become("shadow");
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        join(participant("bob"), room);
        assertThat(roster(room)).containsExactlyInAnyOrder("ada:present", "bob:present");

        ada.stream().goodbye();
        Awaiting.until("ada is not shown", () -> roster(room).equals(List.of("bob:present")));
        awaitMismatch("leased_not_shown", ada.session(), true);

        Member again = member("ada", room);
        assertThat(roster(room)).containsExactlyInAnyOrder("ada:present", "bob:present");
        awaitMismatch("leased_not_shown", ada.session(), false);
        become("leases");
        again.stream().goodbye();
        Awaiting.until("suspect", () -> row(ada.session()).state().equals("suspect"));
        assertThat(roster(room)).containsExactlyInAnyOrder("ada:suspect", "bob:present");
    }

    @Test
    void streamOfAProcessThatIsGone_isFoundByTheWindow_withoutAnyTransition() {
        become("shadow");
        Membership ada = joined("ada");
        assertThat(roster(ada.room())).containsExactly("ada:present");
        long before = seq(ada.room());
        change(
                "UPDATE room_session SET stream_id = 'x-lost', stream_process = 'of a killed node' WHERE id = ?",
                ada.session());
        Awaiting.until("the mark is gone", () -> roster(ada.room()).isEmpty());
        awaitMismatch("leased_not_shown", ada.session(), true);
        assertThat(seq(ada.room())).isEqualTo(before);
        become("leases");
        assertThat(roster(ada.room())).containsExactly("ada:present");
        awaitMismatch("leased_not_shown", ada.session(), false);
    }

    @Test
    void fencing_refusesOlderGenerations_andOnlyComputesRemoval() {
        become("fencing");
        Membership old = joined("ada");
        Membership ada = old.again();

        old.renew().assertProblem(409, "stale-generation");
        lapse(ada.session());
        Awaiting.until("the lapse is told", () -> expiries(ada.room()).equals(List.of("2 shadow")));
        assertThat(roster(ada.room())).containsExactly("ada:present");
        assertThat(rosterStage(ada.room())).isEqualTo("fencing");
        ada.renew().assertStatus(200);
    }

    @Test
    void forwardAndBack_whileARoomIsInUse_losesNothingThatIsDurable() {
        become("shadow");
        Membership ada = joined("ada");
        String room = ada.room();
        Membership gone = join(participant("bob"), room);
        gone.leave().assertStatus(204);
        Membership ghost = join(participant("cyd"), room);
        lapse(ghost.session());
        lapse(ada.session());
        Awaiting.until("both lapses are told", () -> expiries(room).size() == 2);
        String before = tag(room);

        // Nobody is removed by the change itself: each has one fresh lease.
        become("leases");
        assertThat(roster(room)).containsExactly("ada:present", "cyd:present");
        assertThat(row(ghost.session()).leaseUntil()).isAfter(site.clock().now());
        assertThat(tag(room)).isNotEqualTo(before);
        Awaiting.holds(SWEEPS, "nobody expires", () -> expiries(room).size() == 2);
        ada.renew().assertStatus(200);
        lapse(ghost.session());
        Awaiting.until("the ghost expires", () -> row(ghost.session()).state().equals("absent"));
        assertThat(expiries(room)).contains("1");
        ghost.renew().assertProblem(410, "lease-expired");

        become("shadow");
        assertThat(roster(room)).as("an end stays an end").containsExactly("ada:present");
        gone.renew().assertProblem(410, "session-ended");
        ghost.renew().assertProblem(410, "lease-expired");
        ghost.again();
        become("alerting");
        assertThat(rosterStage(room)).isEqualTo("alerting");
        assertThat(roster(room)).containsExactlyInAnyOrder("ada:present", "cyd:present");
        List<JsonObject> all = events(room, 0);
        assertThat(all).extracting(event -> event.getInt("seq")).doesNotHaveDuplicates();
        assertThat(all.get(all.size() - 1).getInt("seq")).isEqualTo(all.size());
    }

    private String tag(String room) {
        return operator().roster(room).header("ETag").orElseThrow();
    }

    @Test
    void changes_areAuditedWithTheirReason_andListed() {
        long audits = audits();
        JsonObject set = stage("fencing").assertStatus(200).json();
        assertThat(set.keySet()).containsExactlyInAnyOrder("scope", "stage", "changedAt", "changedBy");
        assertThat(set.getString("scope")).isEqualTo("team:" + team);
        assertThat(set.getString("changedBy")).isEqualTo("on-call");
        assertThat(own()).containsExactly("fencing");
        assertThat(stages().get(0).getString("scope")).isEqualTo("deployment");
        assertThat(stages().get(0).getString("stage")).isEqualTo("alerting");

        Api operator = operatorWithReason();
        operator.delete("/admin/stages/team:" + team).assertStatus(204);
        assertThat(own()).isEmpty();
        operator.delete("/admin/stages/team:" + team).assertStatus(204);
        assertThat(audits()).isEqualTo(audits + 2);
        assertThat(rosterStage(joined("ada").room())).isEqualTo("alerting");
    }

    private List<JsonObject> stages() {
        return operator()
                .get("/admin/stages")
                .assertStatus(200)
                .json()
                .getJsonArray("items")
                .getValuesAs(JsonObject.class);
    }

    private List<String> own() {
        return stages().stream()
                .filter(one -> one.getString("scope").equals("team:" + team))
                .map(one -> one.getString("stage"))
                .toList();
    }

    private long audits() {
        return site.store()
                .column("SELECT id FROM audit WHERE action LIKE 'stage.%' AND reason IS NOT NULL")
                .size();
    }

    @Test
    void wrongChanges_areRefused_andLeaveNoTrace() {
        List<@Nullable Object> before = choices();
        long audits = audits();
        Api operator = operatorWithReason();
        JsonObject shadow = Api.json().add("stage", "shadow").build();
        String path = "/admin/stages/team:" + team;
        operator().put(path, shadow).assertProblem(400, "reason-missing");
        operator().delete(path).assertProblem(400, "reason-missing");
        operator.put(path, Api.json().add("stage", "off").build()).assertProblem(400, "invalid-request");
        operator.put(path, Api.json().addNull("stage").build()).assertProblem(400, "invalid-request");
        operator.put(path, Api.json().add("stage", "shadow").add("x", 1).build())
                .assertProblem(400, "invalid-request");
        operator.put("/admin/stages/everything", shadow).assertProblem(400, "invalid-request");
        operator.put("/admin/stages/team:", shadow).assertProblem(400, "invalid-request");
        operator.delete("/admin/stages/deployment").assertProblem(400, "invalid-request");
        for (Api other : List.of(participant("ada"), integrator())) {
            other.with("Huddle-Reason", "why not").put(path, shadow).assertProblem(403, "forbidden");
            other.get("/admin/stages").assertProblem(403, "forbidden");
            other.get("/admin/mismatches").assertProblem(403, "forbidden");
        }
        for (String query : List.of("kind=x", "open=maybe", "limit=0", "cursor=x")) {
            operator.get("/admin/mismatches?" + query).assertProblem(400, "invalid-request");
        }
        assertThat(choices()).isEqualTo(before);
        assertThat(audits()).isEqualTo(audits);
    }

    private List<@Nullable Object> choices() {
        return site.store().column("SELECT scope || ' ' || stage FROM rollout_stage ORDER BY scope");
    }

    // Observations

    private static JsonObject observation(String source, String participant, String media) {
        return Api.json()
                .add("source", source)
                .add(
                        "participants",
                        Json.createArrayBuilder()
                                .add(Api.json().add("participant", participant).add("media", media)))
                .build();
    }

    private String observed(String room, String participant) {
        return String.join(
                ",",
                site
                        .store()
                        .column(
                                "SELECT media FROM room_observation WHERE room_id = ? AND participant = ?",
                                room,
                                participant)
                        .stream()
                        .map(String::valueOf)
                        .toList());
    }

    @Test
    void olderRoster_isShownBeforeLeasesAndWhileItIsTold_andAMediaServersNever() {
        become("shadow");
        Membership ada = joined("ada");
        String room = ada.room();
        join(participant("bob"), room);
        Api server = integrator();
        String path = "/rooms/" + room + "/observations";

        server.post(path, observation("sfu-1", "bob", "gone")).assertStatus(204);
        assertThat(roster(room)).containsExactly("ada:present", "bob:present");
        server.post(path, observation("legacy", "ada", "silent")).assertStatus(204);
        server.post(path, observation("legacy", "stranger", "flowing")).assertStatus(204);
        assertThat(roster(room)).containsExactly("ada:present");
        participant("cyd").join(room).assertStatus(201);
        Awaiting.until(
                "the stranger is missed",
                () -> mismatches("&kind=observed_without_session").stream()
                        .anyMatch(
                                one -> one.getString("participant").equals("stranger") && !one.containsKey("session")));
        become("leases");
        assertThat(roster(room)).containsExactly("ada:present", "bob:present", "cyd:present");
        become("shadow");
        change(
                "UPDATE room_observation SET observed_at = observed_at - INTERVAL '40' SECOND WHERE source = 'legacy'"
                        + " AND participant = 'ada' AND room_id = ?",
                room);
        change(
                "UPDATE room_observation SET observed_at = observed_at - INTERVAL '40' SECOND WHERE source = 'legacy'"
                        + " AND participant = 'stranger' AND room_id = ?",
                room);
        assertThat(roster(room)).as("nobody tells any more").hasSize(3);
    }

    @Test
    void observation_thatIsOlder_changesNothing_andOfAClosedRoomIsDropped() {
        Membership ada = joined("ada");
        String path = "/rooms/" + ada.room() + "/observations";
        Api server = integrator();
        String earlier = site.clock().now().minusSeconds(20).toString();

        server.post(path, observation("sfu-1", "ada", "flowing")).assertStatus(204);
        JsonObject late = Json.createObjectBuilder(observation("sfu-1", "ada", "gone"))
                .add("observedAt", earlier)
                .build();
        server.post(path, late).assertStatus(204);
        assertThat(observed(ada.room(), "ada")).isEqualTo("flowing");
        server.post(path, observation("sfu-1", "ada", "silent")).assertStatus(204);
        assertThat(observed(ada.room(), "ada")).isEqualTo("silent");
        assertThat(roster(ada.room())).containsExactly("ada:present");

        server.close(ada.room()).assertStatus(200);
        server.post(path, observation("sfu-1", "bob", "flowing")).assertStatus(204);
        assertThat(observed(ada.room(), "bob")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-400, 60})
    void observation_outOfTime_isInvalid(long seconds) {
        String room = openRoom(participant("ada"));
        JsonObject wrong = Json.createObjectBuilder(observation("sfu-1", "ada", "gone"))
                .add("observedAt", site.clock().now().plusSeconds(seconds).toString())
                .build();
        integrator().post("/rooms/" + room + "/observations", wrong).assertProblem(400, "invalid-request");
        assertThat(observed(room, "ada")).isEmpty();
    }

    @Test
    void observation_fromAnybodyElse_orOfTooManySources_isRefused() {
        String room = openRoom(participant("ada"));
        String path = "/rooms/" + room + "/observations";
        JsonObject one = observation("sfu-1", "ada", "gone");
        participant("ada").post(path, one).assertProblem(403, "forbidden");
        operator().post(path, one).assertProblem(403, "forbidden");
        Api.of(site.node(), Tokens.integrator("other", "team-of-others"))
                .post(path, one)
                .assertProblem(404, "room-not-found");
        integrator().post("/rooms/r-nobody/observations", one).assertProblem(404, "room-not-found");
        integrator().post(path, JsonObject.EMPTY_JSON_OBJECT).assertProblem(400, "invalid-request");
        assertThat(observed(room, "ada")).isEmpty();

        for (int i = 0; i < 8; i++) {
            integrator().post(path, observation("source " + i, "ada", "gone")).assertStatus(204);
        }
        integrator().post(path, observation("source 8", "ada", "gone")).assertProblem(400, "invalid-request");
        integrator().post(path, observation("source 7", "ada", "silent")).assertStatus(204);
    }
}
