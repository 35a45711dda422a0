package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Prometheus;
import io.huddle.harness.Tokens;
import io.huddle.monitoring.Rules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two days of a hospital, an hour in some hundred milliseconds: people come and go on a real node, and in some hours ghosts
 * and false removals are injected at known rates. The counters must tell exactly those, and the rules, fed with the
 * counters as a Prometheus of those two days would have read them, must page in the hours in which they should and only
 * then.
 *
 * <p>What cannot be hurried is how many are in rooms at once; the rules are told forty.
 */
class BudgetReplayIT {
    private static final int HOURS = 48;
    private static final int LEAVES = 2;
    private static final int SESSIONS = 40;
    private static final int MINUTES = 60;

    /** Everything of an hour has happened at this minute of it. */
    private static final int SEEN = 2;

    /** How many by hour: one that is for the morning, and a wave that is for now. */
    private static final Map<Integer, Integer> GHOSTS = Map.of(10, 1, 30, 4, 31, 4, 32, 4);

    private static final Map<Integer, Integer> FALSE_REMOVALS = Map.of(20, 1, 40, 3, 41, 3);
    private static final Map<Integer, Integer> EXPIRED_IN_TIME = Map.of(5, 2, 25, 2, 45, 2);
    private static final Set<Integer> GHOST_PAGES = Set.of(30, 31, 32);
    private static final Set<Integer> FALSE_REMOVAL_PAGES = Set.of(40, 41);
    private static final Set<Integer> GHOSTS_FOR_THE_MORNING = Set.of(10, 30, 31, 32);
    private static final Set<Integer> FALSE_REMOVALS_FOR_THE_MORNING = Set.of(40, 41);

    private final Site site = Site.H2;
    private final String team = "team-" + Contract.unique();
    private int people;

    /** What a scrape reads at the end of an hour, since the replay began. */
    private record Counted(double left, double expired, double inTime, double falseRemovals) {
        static Counted since(Counted begin, Metrics metrics) {
            Counted now = read(metrics);
            return new Counted(
                    now.left - begin.left,
                    now.expired - begin.expired,
                    now.inTime - begin.inTime,
                    now.falseRemovals - begin.falseRemovals);
        }

        static Counted read(Metrics metrics) {
            return new Counted(
                    metrics.value("huddle_transitions_total", "transition", "participant.left", "outcome", "accepted"),
                    metrics.value("huddle_ghost_seconds_count"),
                    metrics.value("huddle_ghost_seconds_bucket", "le", "20.0"),
                    metrics.value("huddle_false_removals_total"));
        }
    }

    @BeforeEach
    void nobodyElse() {
        Prometheus.skipWithoutIt();
        site.store().update("UPDATE room_session SET state = 'absent', ending = 'left' WHERE state <> 'absent'");
    }

    @Test
    void twoDays_withInjectedFaults_areCountedExactlyAndPageWhenTheyShould(@TempDir Path folder) throws IOException {
        List<Counted> hours = new ArrayList<>();
        String room = Contract.openRoom(
                person("host"),
                Api.json().add("team", team).add("occurrence", "two days").add("policy", Contract.calm()));
        Counted begin = Counted.read(Metrics.of(site));
        Counted expected = new Counted(0, 0, 0, 0);
        for (int hour = 0; hour < HOURS; hour++) {
            live(room, hour);
            int ghosts = GHOSTS.getOrDefault(hour, 0);
            int back = FALSE_REMOVALS.getOrDefault(hour, 0);
            int inTime = EXPIRED_IN_TIME.getOrDefault(hour, 0) + back;
            expected = new Counted(
                    expected.left + LEAVES + back,
                    expected.expired + ghosts + inTime,
                    expected.inTime + inTime,
                    expected.falseRemovals + back);
            Counted wanted = expected;
            Awaiting.asserted(
                    () -> assertThat(Counted.since(begin, Metrics.of(site))).isEqualTo(wanted));
            hours.add(expected);
        }

        Path replay = folder.resolve("replay.yml");
        Files.writeString(replay, rulesTest(hours));
        assertThat(Prometheus.promtool(List.of("test", "rules", replay.toString())))
                .contains("SUCCESS");
    }

    /** What happens in one hour. */
    private void live(String room, int hour) {
        for (int i = 0; i < LEAVES; i++) {
            Contract.join(person("leaver-" + i), room).leave().assertStatus(204);
        }
        for (int i = 0; i < EXPIRED_IN_TIME.getOrDefault(hour, 0); i++) {
            expire(Contract.join(newcomer(), room), 0);
        }
        for (int i = 0; i < GHOSTS.getOrDefault(hour, 0); i++) {
            expire(Contract.join(newcomer(), room), 25);
        }
        for (int i = 0; i < FALSE_REMOVALS.getOrDefault(hour, 0); i++) {
            Membership removed = Contract.join(newcomer(), room);
            expire(removed, 0);
            removed.again().leave().assertStatus(204);
        }
    }

    /** Ends a lease now, whose last proof of life is so many seconds old. */
    private void expire(Membership member, int seconds) {
        assertThat(site.store()
                        .update(
                                "UPDATE room_session SET lease_until = proven_at, proven_at = proven_at - INTERVAL '"
                                        + seconds + "' SECOND WHERE id = ?",
                                member.session()))
                .isOne();
    }

    private Api newcomer() {
        return person("newcomer-" + people++);
    }

    private Api person(String subject) {
        return Api.of(site.node(), Tokens.participant(subject, team));
    }

    /** The counters of all hours, minute by minute, and which alerts are to fire in each hour. */
    private static String rulesTest(List<Counted> hours) {
        Map<String, String> series = new LinkedHashMap<>();
        series.put("up{job=\"huddle\"}", constant(1));
        series.put("huddle_sessions{state=\"present\"}", constant(SESSIONS));
        // Not what this is about: they renew.
        series.put("huddle_lease_renewal_lateness_seconds_count", growing(480));
        series.put("huddle_lease_renewal_lateness_seconds_bucket{le=\"5.0\"}", growing(480));
        series.put(
                "huddle_transitions_total{transition=\"participant.left\",outcome=\"accepted\"}",
                values(hours.stream().map(Counted::left).toList()));
        series.put(
                "huddle_ghost_seconds_count",
                values(hours.stream().map(Counted::expired).toList()));
        series.put(
                "huddle_ghost_seconds_bucket{le=\"20.0\"}",
                values(hours.stream().map(Counted::inTime).toList()));
        series.put(
                "huddle_false_removals_total",
                values(hours.stream().map(Counted::falseRemovals).toList()));

        StringBuilder test = new StringBuilder("rule_files:\n");
        Rules.files()
                .forEach(file ->
                        test.append("  - ").append(file.toAbsolutePath()).append('\n'));
        test.append(
                "evaluation_interval: 5m\ngroup_eval_order: [huddle-now, huddle-ghosts,"
                        + " huddle-false-removals, huddle-ghost-budget, huddle-false-removal-budget]\ntests:\n  - interval: 1m\n    input_series:\n");
        series.forEach((name, values) -> test.append("      - {series: '")
                .append(name)
                .append("', values: '")
                .append(values)
                .append("'}\n"));
        test.append("    promql_expr_test:\n");
        for (int hour = 0; hour < HOURS; hour++) {
            expect(test, hour, "HuddleGhostsBurnFast", GHOST_PAGES.contains(hour));
            expect(test, hour, "HuddleFalseRemovalsBurnFast", FALSE_REMOVAL_PAGES.contains(hour));
            if (GHOSTS_FOR_THE_MORNING.contains(hour)) {
                expect(test, hour, "HuddleGhostsBurnSlow", true);
            }
            if (FALSE_REMOVALS_FOR_THE_MORNING.contains(hour)) {
                expect(test, hour, "HuddleFalseRemovalsBurnSlow", true);
            }
        }
        return test.toString();
    }

    private static void expect(StringBuilder test, int hour, String alert, boolean fires) {
        test.append("      - eval_time: ")
                .append(hour)
                .append("h5m\n        expr: count(ALERTS{alertname=\"")
                .append(alert)
                .append("\",alertstate=\"firing\"})\n        exp_samples: [")
                .append(fires ? "{labels: '{}', value: 1}" : "")
                .append("]\n");
    }

    private static String constant(int value) {
        return value + "x" + HOURS * MINUTES;
    }

    private static String growing(int each) {
        return "0+" + each + "x" + HOURS * MINUTES;
    }

    /** A sample a minute of a counter that has these values from the given minute of each hour on. */
    private static String values(List<Double> hours) {
        StringBuilder values = new StringBuilder();
        double before = 0;
        for (double hour : hours) {
            for (int minute = 0; minute < MINUTES; minute++) {
                values.append((long) (minute < SEEN ? before : hour)).append(' ');
            }
            before = hour;
        }
        return values.toString().strip();
    }
}
