package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Awaiting;
import io.huddle.harness.Prometheus;
import io.huddle.monitoring.Rules;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus scrapes a node: it knows every metric that the rules and the dashboard ask for. */
class PrometheusIT {
    private static final Duration EVALUATED = Duration.ofSeconds(20);

    @BeforeAll
    static void needsPrometheus() {
        Prometheus.skipWithoutIt();
    }

    @Test
    void rules_doWhatTheirTestsSay() throws IOException {
        assertThat(Prometheus.promtool(List.of(
                        "check",
                        "config",
                        Rules.FOLDER.resolve("prometheus.yml").toString())))
                .contains("SUCCESS");
        try (Stream<Path> files = Files.list(Rules.FOLDER.resolve("tests"))) {
            List<String> tests = files.filter(Files::isRegularFile)
                    .map(Path::toString)
                    .sorted()
                    .toList();
            assertThat(tests).hasSizeGreaterThanOrEqualTo(4);
            // Each on a processor of its own.
            assertThat(tests.parallelStream().map(test -> Prometheus.promtool(List.of("test", "rules", test))))
                    .allSatisfy(said -> assertThat(said).contains("SUCCESS"));
        }
    }

    @Test
    void queries_ofRulesAndDashboard_findTheirMetricsOnANode(@TempDir Path folder) {
        try (Prometheus prometheus = Prometheus.scraping(folder, Site.H2.node(), Rules.files())) {
            Map<String, Set<String>> missing = new TreeMap<>();
            Awaiting.asserted(EVALUATED, () -> {
                assertThat(states(prometheus))
                        .hasSize(Rules.all().size())
                        .allSatisfy((rule, state) -> assertThat(state).as(rule).isEqualTo("ok"));
                missing.clear();
                missing.putAll(missing(prometheus));
                assertThat(missing)
                        .as("metrics that the node does not have, by query")
                        .isEmpty();
            });
            assertThat(Rules.queries()).hasSizeGreaterThan(80).allSatisfy((where, query) -> {
                JsonObject answer = prometheus.query(query);
                assertThat(answer.getString("status"))
                        .as("%s: %s: %s", where, query, answer)
                        .isEqualTo("success");
                assertThat(answer.containsKey("warnings"))
                        .as("%s: %s", where, answer)
                        .isFalse();
            });
        }
    }

    /** What became of each rule the last time that it was evaluated. */
    private static Map<String, String> states(Prometheus prometheus) {
        Map<String, String> states = new TreeMap<>();
        for (JsonObject group : objects(prometheus.get("/rules").getJsonObject("data"), "groups")) {
            for (JsonObject rule : objects(group, "rules")) {
                states.put(rule.getString("name"), rule.getString("lastError", rule.getString("health")));
            }
        }
        return states;
    }

    private static Map<String, Set<String>> missing(Prometheus prometheus) {
        Set<String> known =
                prometheus.get("/label/__name__/values").getJsonArray("data").getValuesAs(JsonString.class).stream()
                        .map(JsonString::getString)
                        .collect(Collectors.toSet());
        // Recorded and written by Prometheus itself, where there is something to record.
        Rules.all().forEach(rule -> known.add(rule.name()));
        known.add("ALERTS");
        Map<String, Set<String>> missing = new TreeMap<>();
        Rules.queries().forEach((where, query) -> {
            Set<String> names = new TreeSet<>(Rules.metrics(query));
            names.removeAll(known);
            if (!names.isEmpty()) {
                missing.put(where, names);
            }
        });
        return missing;
    }

    private static List<JsonObject> objects(JsonObject in, String name) {
        return in.getJsonArray(name).getValuesAs(JsonObject.class);
    }
}
