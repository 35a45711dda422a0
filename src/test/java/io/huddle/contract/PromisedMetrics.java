package io.huddle.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The metrics that dashboards, rules and runbooks are written against: exact names as they are scraped, kinds, labels, and
 * whether every node says the same. Whoever promises another adds a line here and one to the page on operations.
 */
final class PromisedMetrics {
    static final List<Promise> ALL = List.of(
            counter("huddle_transitions_total", "transition", "outcome", "reason"),
            histogram("huddle_lease_renewal_lateness_seconds"),
            cluster("huddle_sessions", "state"),
            cluster("huddle_rooms", "state"),
            cluster("huddle_oldest_unrenewed_lease_seconds"),
            counter("huddle_stale_generation_rejections_total", "operation"),
            histogram("huddle_reconnect_seconds"),
            counter("huddle_false_removals_total"),
            histogram("huddle_ghost_seconds"),
            histogram("huddle_expiry_lag_seconds"),
            histogram("huddle_event_delivery_seconds"),
            counter("huddle_outage_grace_total"),
            cluster("huddle_mesh_nodes"),
            gauge("huddle_mesh_lease_remaining_seconds"),
            cluster("huddle_orphan_items"),
            cluster("huddle_orphan_bytes"),
            cluster("huddle_orphan_oldest_seconds"),
            cluster("huddle_orphan_dead_letters"),
            counter("huddle_mesh_claims_total", "result"),
            counter("huddle_mesh_invocations_total", "route", "result"),
            histogram("huddle_mesh_invocation_seconds", "route", "result"),
            counter("huddle_orphan_redeliveries_total"),
            gauge("huddle_streams", "codec"),
            counter("huddle_stream_closes_total", "cause"),
            counter("huddle_shadow_mismatches_total", "kind"),
            cluster("huddle_drift_rooms", "kind"),
            cluster("huddle_alerts_open", "kind", "severity"),
            gauge("huddle_alert_info", "version"));

    /** What the labels of promised metrics may say, where the set is short; the others are looked at for ids only. */
    static final Map<String, Set<String>> VALUES = new TreeMap<>(Map.of(
            "outcome", Set.of("accepted", "rejected"),
            "codec", Set.of("json", "protobuf"),
            "route", Set.of("local", "remote", "none"),
            "cause",
                    Set.of(
                            "normal",
                            "draining",
                            "no-capacity",
                            "bad-argument",
                            "conflict",
                            "superseded",
                            "timeout",
                            "session-ended",
                            "operator"),
            "state", Set.of("open", "closing", "closed", "present", "suspect", "suspended")));

    private PromisedMetrics() {}

    /** @param cluster true for gauges that every node reads from what all share */
    record Promise(String name, String kind, boolean cluster, Set<String> labels) {
        /** The sample that tells whether it is there. */
        String sample() {
            return kind.equals("histogram") ? name + "_count" : name;
        }
    }

    static Map<String, Promise> byName() {
        return ALL.stream().collect(Collectors.toMap(Promise::name, promise -> promise));
    }

    private static Promise counter(String name, String... labels) {
        return new Promise(name, "counter", false, new TreeSet<>(Arrays.asList(labels)));
    }

    private static Promise histogram(String name, String... labels) {
        return new Promise(name, "histogram", false, new TreeSet<>(Arrays.asList(labels)));
    }

    private static Promise gauge(String name, String... labels) {
        return new Promise(name, "gauge", false, new TreeSet<>(Arrays.asList(labels)));
    }

    private static Promise cluster(String name, String... labels) {
        return new Promise(name, "gauge", true, new TreeSet<>(Arrays.asList(labels)));
    }
}
