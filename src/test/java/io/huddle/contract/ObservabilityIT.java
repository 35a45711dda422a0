package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the people on call see: metrics, lifecycle lines, health. */
class ObservabilityIT extends Contract {
    private static final Set<String> LABELS = Set.of(
            "mp_scope",
            "transition",
            "outcome",
            "reason",
            "operation",
            "state",
            "codec",
            "cause",
            "status",
            "limit",
            "method",
            "kind",
            "severity",
            "version",
            "objective",
            "result",
            "le",
            "quantile");
    private static final Pattern ID = Pattern.compile("\\b[rsea]-[0-9a-z]{20,}|team-|@|[0-9a-f]{8}-[0-9a-f]{4}");

    @BeforeEach
    void nobodyElse() {
        site.store().update("UPDATE room_session SET state = 'absent', ending = 'left' WHERE state <> 'absent'");
    }

    @Test
    void labels_areOfClosedSetsAndNeverIds() {
        Membership ada = joined("ada");
        ada.again().leave().assertStatus(204);
        ada.renew().assertProblem(409, "stale-generation");

        List<Metrics.Sample> ours = Metrics.of(site).samples().stream()
                .filter(sample -> sample.name().startsWith("huddle_"))
                .toList();

        assertThat(ours).isNotEmpty().allSatisfy(sample -> {
            assertThat(LABELS).as("%s", sample).containsAll(sample.labels().keySet());
            assertThat(sample.labels().values()).as("%s", sample).noneMatch(ID.asPredicate());
            assertThat(sample.labels().values()).as("%s", sample).doesNotContain("ada", ada.room(), team);
        });
        assertThat(ours)
                .filteredOn(sample -> sample.name().equals("huddle_transitions_total"))
                .allSatisfy(sample -> assertThat(sample.labels().keySet())
                        .containsExactlyInAnyOrder("mp_scope", "outcome", "reason", "transition"));
        assertThat(ours)
                .filteredOn(sample -> sample.name().equals("huddle_stale_generation_rejections_total"))
                .isNotEmpty()
                .allSatisfy(sample ->
                        assertThat(sample.labels().keySet()).containsExactlyInAnyOrder("mp_scope", "operation"));
    }

    @Test
    void transitions_acceptedAndRejected_areCountedOnceEach() {
        Metrics before = Metrics.of(site);
        Membership first = joined("ada");
        first.again();
        first.leave().assertProblem(409, "stale-generation");
        operatorWithReason().close(first.room()).assertStatus(200);
        operatorWithReason().close(first.room()).assertStatus(200);

        Metrics after = Metrics.of(site);

        assertCounted(before, after, "room.opened", "accepted", "none", 1);
        assertCounted(before, after, "participant.joined", "accepted", "none", 1);
        assertCounted(before, after, "participant.reconnected", "accepted", "none", 1);
        assertCounted(before, after, "leave", "rejected", "stale-generation", 1);
        assertCounted(before, after, "participant.left", "accepted", "none", 0);
        assertCounted(before, after, "participant.removed", "accepted", "room-closed", 1);
        assertCounted(before, after, "room.closing", "accepted", "operator", 1);
        assertCounted(before, after, "room.closed", "accepted", "operator", 1);
        assertThat(after.stale("leave") - before.stale("leave")).isOne();
    }

    @Test
    void plainRenewals_areNoTransitionsAndNoLines() {
        Membership ada = joined("ada");
        Metrics before = Metrics.of(site);
        int lines = lines(ada.room()).size();

        for (int i = 0; i < 5; i++) {
            ada.renew().assertStatus(200);
        }

        Metrics after = Metrics.of(site);
        assertThat(after.value("huddle_transitions_total")).isEqualTo(before.value("huddle_transitions_total"));
        assertThat(after.value("huddle_lease_renewal_lateness_seconds_count"))
                .isEqualTo(before.value("huddle_lease_renewal_lateness_seconds_count") + 5);
        assertThat(lines(ada.room())).hasSize(lines);
    }

    @Test
    void expiry_isMeasuredAsGhostAndAsLag() {
        Membership ada = joined("ada");
        Metrics before = Metrics.of(site);
        change("UPDATE room_session SET lease_until = proven_at + INTERVAL '1' SECOND WHERE id = ?", ada.session());
        awaitState(ada.session(), "absent");

        Awaiting.asserted(() -> {
            Metrics after = Metrics.of(site);
            assertThat(delta(before, after, "huddle_ghost_seconds_count")).isOne();
            assertThat(delta(before, after, "huddle_expiry_lag_seconds_count")).isOne();
            // The ghost's age counts from its last proof of life, the lag from the end of its lease a second later.
            double ghost = delta(before, after, "huddle_ghost_seconds_sum");
            double lag = delta(before, after, "huddle_expiry_lag_seconds_sum");
            assertThat(ghost - lag).isBetween(0.99, 1.01);
        });
    }

    @ParameterizedTest
    @CsvSource({"expired, 5, 1", "expired, 29, 0", "left, 5, 0", "removed, 5, 0"})
    void returnOfAParticipant_isAFalseRemovalOnlySoonAfterAnExpiry(String ending, int seconds, int counted) {
        Membership ada = joined("ada");
        switch (ending) {
            case "left" -> ada.leave().assertStatus(204);
            case "removed" ->
                operatorWithReason()
                        .post(
                                "/admin/sessions/" + ada.session() + "/remove",
                                Api.json().add("generation", 1).build())
                        .assertStatus(204);
            default -> {
                change(
                        "UPDATE room_session SET lease_until = proven_at + INTERVAL '1' SECOND WHERE id = ?",
                        ada.session());
                awaitState(ada.session(), "absent");
            }
        }
        site.advance(Duration.ofSeconds(seconds));
        if (seconds == 29) {
            site.advance(Duration.ofSeconds(3));
        }
        double before = Metrics.of(site).value("huddle_false_removals_total");

        ada.again();

        assertThat(Metrics.of(site).value("huddle_false_removals_total")).isEqualTo(before + counted);
    }

    @Test
    void return_beforeTheSweepSawTheExpiry_isAFalseRemovalToo() {
        Membership ada = joined("ada");
        double before = Metrics.of(site).value("huddle_false_removals_total");
        site.withoutSweep(() -> {
            change("UPDATE room_session SET lease_until = proven_at WHERE id = ?", ada.session());
            ada.again();
        });
        assertThat(Metrics.of(site).value("huddle_false_removals_total")).isEqualTo(before + 1);
    }

    @Test
    void recovery_isMeasuredAsAReconnect() {
        Membership ada = joined("ada");
        ada.media("failed").assertStatus(204);
        Metrics before = Metrics.of(site);

        ada.renew().assertStatus(200);
        ada.renew().assertStatus(200);

        assertThat(delta(before, Metrics.of(site), "huddle_reconnect_seconds_count"))
                .isOne();
    }

    @Test
    void gauges_tellRoomsAndSessionsByState() {
        Membership ada = joined("ada");
        join(participant("bob"), ada.room()).suspend().assertStatus(200);

        Awaiting.asserted(() -> {
            Metrics metrics = Metrics.of(site);
            assertThat(metrics.value("huddle_sessions", "state", "present")).isOne();
            assertThat(metrics.value("huddle_sessions", "state", "suspended")).isOne();
            assertThat(metrics.value("huddle_sessions", "state", "suspect")).isZero();
            assertThat(metrics.value("huddle_rooms", "state", "open")).isPositive();
        });
    }

    @Test
    void lifecycleLines_areJsonAndTellNothingOfPeople() {
        String label = "Ward 7 for Mrs. Lovelace";
        String occurrence = "standup of Dr. Babbage";
        Api ada = participant("pseudonym-0815");
        String room = ada.createRoom(
                        unique(),
                        Api.json()
                                .add("team", team)
                                .add("occurrence", occurrence)
                                .add("label", label))
                .assertStatus(201)
                .json()
                .getString("id");
        Membership first = join(ada, room);
        first.again();
        first.renew().assertProblem(409, "stale-generation");
        operator().with("Huddle-Reason", "asked by Mrs. Lovelace").close(room).assertStatus(200);

        List<JsonObject> lines =
                Awaiting.value(Awaiting.PATIENCE, "the lines of the room", () -> lines(room), all -> all.size() >= 7);

        assertThat(lines)
                .extracting(line -> line.getString("type"))
                .containsExactly(
                        "room.opened",
                        "participant.joined",
                        "participant.reconnected",
                        "stale-generation",
                        "room.closing",
                        "participant.removed",
                        "room.closed");
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.getString("log")).isEqualTo("lifecycle");
            assertThat(line.getString("at")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        });
        assertThat(lines.get(2).getInt("generation")).isEqualTo(2);
        assertThat(lines.get(2).getString("session")).isEqualTo(first.session());
        String log = site.node().log();
        assertThat(log)
                .doesNotContain("Lovelace")
                .doesNotContain("Babbage")
                .doesNotContain("pseudonym-0815")
                .doesNotContain("Bearer ");
    }

    @Test
    void health_isUpForAnybodyAndNamesItsChecks() {
        Api nobody = Api.anonymous(site.node()).atRoot();
        assertHealth(nobody.get("/health/live"), "process");
        assertHealth(nobody.get("/health/ready"), "database");
        assertHealth(nobody.get("/health/ready"), "mesh");
        assertHealth(nobody.get("/health/started"), "schema");
    }

    private static void assertHealth(Answer answer, String check) {
        JsonObject health = answer.assertStatus(200).json();
        assertThat(health.getString("status")).isEqualTo("UP");
        assertThat(health.getJsonArray("checks").getValuesAs(JsonObject.class))
                .extracting(one -> one.getString("name"))
                .contains(check);
        answer.assertNoLeak();
    }

    private static void assertCounted(
            Metrics before, Metrics after, String transition, String outcome, String reason, int times) {
        String[] labels = {"transition", transition, "outcome", outcome, "reason", reason};
        String name = "huddle_transitions_total";
        assertThat(after.value(name, labels) - before.value(name, labels))
                .as("%s %s %s", transition, outcome, reason)
                .isEqualTo(times);
    }

    private static double delta(Metrics before, Metrics after, String name) {
        return after.value(name) - before.value(name);
    }

    private List<JsonObject> lines(String room) {
        Predicate<String> ofRoom = line -> line.contains(room) && line.contains("lifecycle");
        return site.node()
                .log()
                .lines()
                .filter(ofRoom)
                .map(ObservabilityIT::parse)
                .toList();
    }

    private static JsonObject parse(String line) {
        assertThat(line).startsWith("{").endsWith("}");
        try (JsonReader reader = Json.createReader(new StringReader(line))) {
            return reader.readObject();
        }
    }
}
