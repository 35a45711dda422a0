package io.huddle.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.monitoring.Rules.Rule;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules, dashboard and runbooks fit each other and the metrics that Huddle promises. */
class MonitoringTest {
    private static final Set<String> SEVERITIES = Set.of("page", "investigate");

    /** What Huddle itself raises alerts for. */
    private static final List<String> KINDS =
            List.of("leases_without_media", "media_without_lease", "suspect_pile_up", "rejections");

    private static final Set<String> CLUSTER_WIDE = Set.of(
            "huddle_sessions",
            "huddle_rooms",
            "huddle_oldest_unrenewed_lease_seconds",
            "huddle_drift_rooms",
            "huddle_alerts_open",
            "huddle_orphan_items",
            "huddle_orphan_bytes",
            "huddle_orphan_oldest_seconds",
            "huddle_orphan_dead_letters");

    private static final Set<String> OTHERS = Set.of(
            "huddle_transitions_total",
            "huddle_stale_generation_rejections_total",
            "huddle_false_removals_total",
            "huddle_outage_grace_total",
            "huddle_shadow_mismatches_total",
            "huddle_alert_info",
            "huddle_mesh_nodes",
            "huddle_mesh_lease_remaining_seconds",
            "huddle_mesh_claims_total",
            "huddle_mesh_invocations_total",
            "huddle_orphan_redeliveries_total",
            "huddle_streams",
            "huddle_stream_closes_total");

    private static final Set<String> HISTOGRAMS = Set.of(
            "huddle_lease_renewal_lateness_seconds",
            "huddle_reconnect_seconds",
            "huddle_ghost_seconds",
            "huddle_expiry_lag_seconds",
            "huddle_event_delivery_seconds",
            "huddle_mesh_invocation_seconds");

    private static final Set<String> LABELS = Set.of(
            "transition",
            "outcome",
            "reason",
            "state",
            "operation",
            "kind",
            "severity",
            "version",
            "result",
            "route",
            "codec",
            "cause",
            "le",
            // Prometheus' own.
            "job",
            "instance",
            "alertname",
            "alertstate");

    private static final Pattern MATCHERS = Pattern.compile("\\{([^}]*)}");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)\\s*(?:=~|!~|!=|=)");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|without)\\s*\\(([^)]*)\\)");
    private static final Pattern MAXIMUM = Pattern.compile("\\bmax( by \\([a-z, ]+\\))? ?\\((huddle_\\w+)");
    private static final Pattern BLOCK = Pattern.compile("(?s)```sh\n(.*?)```");
    private static final Pattern STEP = Pattern.compile("(?m)^\\d+\\. ");

    static Stream<Rule> alerts() {
        return Rules.alerts().stream();
    }

    @Test
    void queries_nameOnlyMetricsOfHuddleAndSeriesThatARuleRecords() {
        Set<String> known = new TreeSet<>(Set.of("up", "ALERTS"));
        known.addAll(CLUSTER_WIDE);
        known.addAll(OTHERS);
        HISTOGRAMS.forEach(name -> List.of("_bucket", "_count", "_sum").forEach(end -> known.add(name + end)));
        Rules.all().stream().filter(rule -> !rule.alert()).forEach(rule -> known.add(rule.name()));

        assertThat(Rules.queries())
                .allSatisfy((where, query) -> assertThat(known).as(where).containsAll(Rules.metrics(query)));
    }

    @Test
    void queries_useNoOtherLabels() {
        assertThat(Rules.queries())
                .allSatisfy((where, query) -> assertThat(LABELS).as(where).containsAll(labels(query)));
    }

    @Test
    void gauges_thatAreTheSameOnEveryNode_areTakenByMaximum() {
        assertThat(Rules.queries()).allSatisfy((where, query) -> {
            long named = Pattern.compile("\\bhuddle_\\w+")
                    .matcher(query)
                    .results()
                    .filter(match -> CLUSTER_WIDE.contains(match.group()))
                    .count();
            long taken = MAXIMUM.matcher(query)
                    .results()
                    .filter(match -> CLUSTER_WIDE.contains(match.group(2)))
                    .count();
            assertThat(taken).as("%s: %s", where, query).isEqualTo(named);
        });
    }

    @Test
    void dashboard_showsEveryMetricAndIsOneThatGrafanaTakes() {
        Set<String> shown = Rules.dashboard().values().stream()
                .flatMap(query -> Rules.metrics(query).stream())
                .map(name -> name.replaceFirst("_(bucket|count|sum)$", ""))
                .collect(Collectors.toSet());
        Set<String> promised = new TreeSet<>(CLUSTER_WIDE);
        promised.addAll(OTHERS);
        promised.addAll(HISTOGRAMS);
        // The budgets' rules are made of it, and the dashboard shows those.
        promised.remove("huddle_false_removals_total");

        assertThat(shown)
                .containsAll(promised)
                .contains("huddle:ghost_ratio:rate1h", "huddle:false_removal_ratio:rate1h");
        assertThat(Rules.dashboardFile().getString("title")).isEqualTo("Huddle");
        assertThat(Rules.dashboardFile().getJsonArray("panels").getValuesAs(JsonObject.class))
                .extracting(panel -> panel.getInt("id"))
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(30);
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void alert_saysHowBadItIsAndWhatToDo(Rule alert) throws IOException {
        assertThat(alert.name()).matches("Huddle[A-Za-z]+");
        assertThat(SEVERITIES).contains(alert.labels().get("severity"));
        assertThat(alert.annotations()).containsKeys("summary", "description", "runbook_url");
        for (Path runbook : runbooks(alert)) {
            assertThat(runbook).isRegularFile();
            assertThat(Files.readString(runbook)).as("%s", runbook).contains("`" + alert.name() + "`");
        }
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void alert_isSeenToFireInATestOfTheRules(Rule alert) throws IOException {
        StringBuilder tests = new StringBuilder();
        try (Stream<Path> files = Files.list(Rules.FOLDER.resolve("tests"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                tests.append(Files.readString(file));
            }
        }
        assertThat(tests.toString())
                .containsPattern("(?:exp_samples|labels).*alertname=\"" + alert.name() + "\"|" + "alertname: "
                        + alert.name() + "\\s+exp_alerts:\\s+- ");
    }

    @Test
    void runbook_exists_forEachKindOfAlertOfTheProduct() {
        assertThat(KINDS)
                .allSatisfy(
                        kind -> assertThat(Rules.RUNBOOKS.resolve(kind + ".md")).isRegularFile());
    }

    @Test
    void runbooks_areAllListedAndReachedByAnAlert() throws IOException {
        String list = Files.readString(Rules.RUNBOOKS.resolve("README.md"));
        Set<Path> reached =
                alerts().flatMap(alert -> runbooks(alert).stream()).collect(Collectors.toCollection(TreeSet::new));

        assertThat(pages()).isNotEmpty().allSatisfy(page -> {
            assertThat(reached).contains(page);
            assertThat(list).contains("(" + page.getFileName() + ")");
        });
        assertThat(alerts()).allSatisfy(alert -> assertThat(list).contains("`" + alert.name() + "`"));
    }

    /** Whoever was just woken must not have to know where to look: each page begins with what the database says. */
    @Test
    void runbooks_beginWithDurableStateAndHaveSomethingToDoInEachStep() throws IOException {
        for (Path page : pages()) {
            String text = Files.readString(page);
            List<String> steps =
                    Arrays.stream(STEP.split(text)).skip(1).map(String::strip).toList();
            assertThat(steps).as("%s", page).hasSizeGreaterThanOrEqualTo(3);
            assertThat(steps.get(0)).as("%s, first step", page).containsAnyOf("api /admin/", "api '/admin/", "psql");
            assertThat(steps)
                    .as("%s", page)
                    .allSatisfy(step -> assertThat(step).containsAnyOf("```sh", "`/console`", "`promtool", "`curl"));
        }
    }

    /** Printed as it is to be typed; a slip in quotes would be found at night. */
    @Test
    void runbooks_haveCommandsThatAShellUnderstands() throws Exception {
        int blocks = 0;
        for (Path page : pages()) {
            for (MatchResult block :
                    BLOCK.matcher(Files.readString(page)).results().toList()) {
                Process shell = new ProcessBuilder("bash", "-n")
                        .redirectErrorStream(true)
                        .start();
                try (OutputStream script = shell.getOutputStream()) {
                    script.write(block.group(1).getBytes(StandardCharsets.UTF_8));
                }
                String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(shell.waitFor())
                        .as("%s: %s%s", page, block.group(1), said)
                        .isZero();
                blocks++;
            }
        }
        assertThat(blocks).isGreaterThan(80);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(Rules.RUNBOOKS)) {
            return files.filter(file -> !file.endsWith("README.md")).sorted().toList();
        }
    }

    private static List<Path> runbooks(Rule alert) {
        String url = alert.annotations().getOrDefault("runbook_url", "");
        return (url.contains("{{ $labels.kind }}") ? KINDS : List.of(""))
                .stream()
                        .map(kind -> Path.of(url.replace("{{ $labels.kind }}", kind)))
                        .toList();
    }

    private static Set<String> labels(String query) {
        Set<String> labels = new TreeSet<>();
        Matcher matchers = MATCHERS.matcher(query);
        while (matchers.find()) {
            String inside = matchers.group(1).replaceAll("\"[^\"]*\"", "\"\"");
            LABEL.matcher(inside).results().forEach(match -> labels.add(match.group(1)));
        }
        GROUPING.matcher(query)
                .results()
                .flatMap(match -> Arrays.stream(match.group(1).split(",")))
                .map(String::strip)
                .filter(label -> !label.isEmpty())
                .forEach(labels::add);
        return labels;
    }
}
