package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.contract.PromisedMetrics.Promise;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every metric by its exact name, under load; what synthetic rooms leave untouched; the console's charts. */
class MetricsIT extends Contract {
    private static final Pattern ID = Pattern.compile("\\b[rseaocn]-[0-9a-z]{20,}|team-|@|[0-9a-f]{8}-[0-9a-f]{4}");
    private static final String SERIES = "/admin/series";

    @BeforeEach
    void nobodyElse() {
        site.store().update("UPDATE room_session SET state = 'absent', ending = 'left' WHERE state <> 'absent'");
    }

    @Test
    void scrape_underLoad_hasEachPromisedMetricAndNoIds() {
        Metrics before = Metrics.of(site);
        Api ada = participant("ada");
        List<String> ids = load(ada);

        Metrics after = Metrics.of(site);

        for (Promise promise : PromisedMetrics.ALL) {
            assertThat(after.types())
                    .as("the type of %s", promise.name())
                    .containsEntry(promise.name(), promise.kind());
            List<Metrics.Sample> samples = after.named(promise.sample());
            assertThat(samples).as(promise.name()).isNotEmpty().allSatisfy(sample -> {
                Set<String> labels = new TreeSet<>(sample.labels().keySet());
                assertThat(labels.remove("mp_scope")).isTrue();
                assertThat(labels).as("labels of %s", sample).isEqualTo(promise.labels());
                sample.labels()
                        .forEach((label, value) -> assertThat(PromisedMetrics.VALUES.getOrDefault(label, Set.of(value)))
                                .as("%s", sample)
                                .contains(value));
            });
            if (promise.kind().equals("histogram")) {
                assertThat(after.named(promise.name() + "_bucket").size() / samples.size())
                        .as("buckets of %s", promise.name())
                        .isBetween(8, 20);
                assertThat(after.named(promise.name()))
                        .as("no percentiles of one node")
                        .isEmpty();
            }
            assertThat(after.help().getOrDefault(promise.name(), "").contains("cluster-wide"))
                    .as("%s says whose it is: %s", promise.name(), after.help().get(promise.name()))
                    .isEqualTo(promise.cluster());
            assertThat(after.help().getOrDefault(promise.name(), "").contains("queries take max()"))
                    .isEqualTo(promise.cluster());
        }
        assertThat(after.samples())
                .filteredOn(sample -> sample.name().startsWith("huddle_"))
                .allSatisfy(sample -> {
                    assertThat(sample.labels().values()).as("%s", sample).noneMatch(ID.asPredicate());
                    assertThat(sample.labels().values()).as("%s", sample).doesNotContainAnyElementsOf(ids);
                });
        for (String moved : List.of(
                "huddle_transitions_total",
                "huddle_lease_renewal_lateness_seconds_count",
                "huddle_reconnect_seconds_count",
                "huddle_stale_generation_rejections_total",
                "huddle_mesh_claims_total",
                "huddle_mesh_invocations_total",
                "huddle_mesh_invocation_seconds_count",
                "huddle_stream_closes_total")) {
            assertThat(after.value(moved)).as(moved).isGreaterThan(before.value(moved));
        }
    }

    /** Whoever adds a metric tells the people on call what it means. */
    @Test
    void scrape_ofAllMetrics_isWhatThePageSays() {
        Map<String, OperationsPage.Row> rows = OperationsPage.metrics();
        Metrics metrics = Metrics.of(site);
        Set<String> served = new TreeSet<>(metrics.types().keySet());
        served.removeIf(name -> !name.startsWith("huddle_") || name.endsWith("_seconds_max"));

        assertThat(rows.keySet()).containsAll(served);
        rows.forEach((name, row) -> {
            if (!row.isLater()) {
                assertThat(served).contains(name);
            }
            if (served.contains(name)) {
                assertThat(metrics.types()).containsEntry(name, row.bareKind());
            }
        });
    }

    @Test
    void syntheticRoom_livesAndEndsWithoutBeingCounted() {
        Api ada = participant("ada");
        Awaiting.until("nobody is counted", () -> Metrics.of(site).value("huddle_sessions", "state", "present") == 0);
        Metrics before = Metrics.of(site);

        Membership probe = join(ada, openRoom(ada, aRoom().add("synthetic", true)));
        probe.renew().assertStatus(200);
        probe.media("failed").assertStatus(204);
        probe.renew().assertStatus(200);
        probe.again();
        probe.renew().assertProblem(409, "stale-generation");
        change("UPDATE room_session SET lease_until = proven_at WHERE id = ?", probe.session());
        awaitState(probe.session(), "absent");
        join(ada, probe.room());
        Membership real = joined("bob");

        Awaiting.until(
                "the real one is counted, and alone",
                () -> Metrics.of(site).value("huddle_sessions", "state", "present") == 1);
        Metrics after = Metrics.of(site);
        for (String counted : List.of(
                "huddle_lease_renewal_lateness_seconds_count",
                "huddle_reconnect_seconds_count",
                "huddle_ghost_seconds_count",
                "huddle_expiry_lag_seconds_count",
                "huddle_false_removals_total",
                "huddle_stale_generation_rejections_total")) {
            assertThat(after.value(counted)).as(counted).isEqualTo(before.value(counted));
        }
        for (String transition : List.of(
                "room.opened",
                "participant.joined",
                "participant.suspected",
                "participant.recovered",
                "participant.reconnected",
                "participant.expired",
                "renew")) {
            boolean ofTheRealOne = transition.equals("room.opened") || transition.equals("participant.joined");
            assertThat(after.value("huddle_transitions_total", "transition", transition))
                    .as(transition)
                    .isEqualTo(before.value("huddle_transitions_total", "transition", transition)
                            + (ofTheRealOne ? 1 : 0));
        }
        assertThat(eventTypes(real.room(), 0)).hasSize(2);
    }

    @Test
    void renewalOfASuspect_isTheLateOneAndIsMeasured() {
        Membership ada = joined("ada");
        ada.media("failed").assertStatus(204);
        Metrics before = Metrics.of(site);
        site.advance(Duration.ofSeconds(HEARTBEAT + 5));

        ada.renew().assertStatus(200);

        Metrics after = Metrics.of(site);
        String name = "huddle_lease_renewal_lateness_seconds";
        assertThat(after.value(name + "_count")).isEqualTo(before.value(name + "_count") + 1);
        assertThat(after.value(name + "_sum") - before.value(name + "_sum")).isBetween(5.0, 15.0);
    }

    @Test
    void series_ofSessionsAndTransitions_areDrawnAndOfTheCluster() {
        join(participant("ada"), joined("bob").room()).suspend().assertStatus(200);

        JsonObject sessions = Awaiting.value(
                Awaiting.PATIENCE,
                "the sessions are drawn",
                () -> series("sessions", 2),
                chart -> last(chart, "present") == 1 && last(chart, "suspended") == 1);
        JsonObject transitions = Awaiting.value(
                Awaiting.PATIENCE,
                "the joins are drawn",
                () -> series("transitions", 5),
                chart -> values(chart, "participant.joined").stream()
                                .mapToDouble(MetricsIT::number)
                                .sum()
                        >= 2);

        assertThat(sessions.getString("scope")).isEqualTo("cluster");
        assertThat(sessions.getString("unit")).isEqualTo("sessions");
        assertThat(sessions.getInt("stepSeconds")).isEqualTo(15);
        assertThat(transitions.getInt("stepSeconds")).isEqualTo(60);
        assertThat(times(sessions)).hasSize(8);
        assertThat(times(transitions)).hasSize(5);
        for (JsonObject chart : List.of(sessions, transitions)) {
            Duration step = Duration.ofSeconds(chart.getInt("stepSeconds"));
            List<Instant> times = times(chart);
            for (int i = 1; i < times.size(); i++) {
                assertThat(Duration.between(times.get(i - 1), times.get(i))).isEqualTo(step);
            }
            assertThat(chart.getJsonArray("lines").getValuesAs(JsonObject.class))
                    .allSatisfy(line -> assertThat(line.getJsonArray("values")).hasSameSizeAs(times));
        }
        // All that were counted in minutes before: the node's whole history is there, whoever was in it.
        assertThat(values(series("transitions", 60), "room.opened")).hasSize(60).noneMatch(JsonValue.NULL::equals);
    }

    @Test
    void series_ofLateness_isTheNodesOwn() {
        Membership ada = joined("ada");
        ada.renew().assertStatus(200);

        JsonObject chart = Awaiting.value(
                Awaiting.PATIENCE,
                "a renewal is drawn",
                () -> series("renewal-lateness", 5),
                found -> values(found, "worst").stream().anyMatch(value -> value != JsonValue.NULL));

        assertThat(chart.getString("scope")).isEqualTo("node");
        assertThat(chart.getString("unit")).isEqualTo("seconds");
        assertThat(number(values(series("oldest-unrenewed-lease", 1), "oldest").get(0)))
                .isNotNegative();
    }

    @Test
    void series_ofSomethingUnknown_isRefusedWithWhatThereIs() {
        for (String query : List.of("", "?metric=", "?metric=huddle_sessions", "?metric=SESSIONS")) {
            assertThat(operator()
                            .get(SERIES + query)
                            .assertProblem(400, "invalid-request")
                            .json()
                            .getString("detail"))
                    .endsWith("sessions, transitions, renewal-lateness, oldest-unrenewed-lease");
        }
        for (String minutes : List.of("0", "61", "-1", "x", "")) {
            operator().get(SERIES + "?metric=sessions&minutes=" + minutes).assertProblem(400, "invalid-request");
        }
        for (Api api : List.of(participant("ada"), integrator())) {
            api.get(SERIES + "?metric=sessions").assertProblem(403, "forbidden");
        }
    }

    /** A bit of everything that is counted. Answers the ids that are in play. */
    private List<String> load(Api ada) {
        Membership first = join(ada, openRoom(ada));
        Membership second = first.again();
        first.renew().assertProblem(409, "stale-generation");
        Membership bob = join(participant("bob"), first.room());
        // Fewer than a session may at once, however fast the node is.
        for (int i = 0; i < 8; i++) {
            second.renew().assertStatus(200);
        }
        bob.media("failed").assertStatus(204);
        bob.renew().assertStatus(200);
        var joined = integrator().joinAs(first.room(), "cyd").assertStatus(201);
        String cyd = joined.json().getString("session");
        double closes = Metrics.of(site).value("huddle_stream_closes_total");
        try (StreamClient stream = StreamClient.to(site.node(), joined).connect()) {
            stream.answer(
                    DCallRequest.class,
                    call -> DCallResponse.newBuilder().setData("[true]").build());
            integrator()
                    .post(
                            "/clients/" + cyd + "/invoke",
                            Api.json().add("type", "page").add("data", 1).build())
                    .assertStatus(200);
        }
        Awaiting.until("the stream has ended", () -> Metrics.of(site).value("huddle_stream_closes_total") > closes);
        operatorWithReason().close(first.room()).assertStatus(200);
        return List.of(first.room(), first.session(), bob.session(), cyd, team, "ada", "bob", "cyd");
    }

    private JsonObject series(String metric, int minutes) {
        return operator()
                .get(SERIES + "?metric=" + metric + "&minutes=" + minutes)
                .assertStatus(200)
                .json();
    }

    private static List<Instant> times(JsonObject chart) {
        return chart.getJsonArray("times").getValuesAs(jakarta.json.JsonString.class).stream()
                .map(time -> Instant.parse(time.getString()))
                .toList();
    }

    /** None where nothing has been drawn of it yet: a node that has just started. */
    private static List<JsonValue> values(JsonObject chart, String line) {
        return chart.getJsonArray("lines").getValuesAs(JsonObject.class).stream()
                .filter(one -> one.getString("name").equals(line))
                .flatMap(one -> one.getJsonArray("values").stream())
                .toList();
    }

    /** The newest value that is known. */
    private static double last(JsonObject chart, String line) {
        return values(chart, line).stream()
                .filter(value -> value != JsonValue.NULL)
                .reduce((one, other) -> other)
                .map(MetricsIT::number)
                .orElse(-1.0);
    }

    private static double number(JsonValue value) {
        return value instanceof jakarta.json.JsonNumber number ? number.doubleValue() : 0;
    }
}
