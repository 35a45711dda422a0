package io.huddle.drift;

import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.Database;
import io.huddle.store.DatabaseReady;
import io.huddle.time.DatabaseClock;
import io.huddle.web.ClusterWide;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/**
 * Drift and alerts as metrics: what Prometheus pages from. Read from the database every few seconds, so the same on every
 * node.
 */
@ApplicationScoped
public class DriftMetrics {
    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final String DRIFTING = "SELECT kind, count(*) FROM drifting_room GROUP BY kind";
    private static final String OPEN =
            "SELECT kind, severity, count(*) FROM alert WHERE open_room IS NOT NULL GROUP BY kind, severity";
    private static final String NEWEST = "SELECT max(started_at) FROM drift_window";
    private static final Metadata DELIVERIES =
            described("huddle_alert_deliveries", "Tries of this node to tell the webhook.");

    private volatile Found found = Found.NOTHING_KNOWN;

    /** What was read last; without an answer of the database nothing is known, and no old figure stands for a new one. */
    private record Found(boolean known, Map<String, Long> drifting, Map<String, Long> alerts, double windowAge) {
        static final Found NOTHING_KNOWN = new Found(false, Map.of(), Map.of(), Double.NaN);

        double of(Map<String, Long> counts, String key) {
            return known ? counts.getOrDefault(key, 0L) : Double.NaN;
        }
    }

    @Inject
    private MetricRegistry registry;

    @Inject
    private RejectionCounts rejections;

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Background background;

    void start(@Observes DatabaseReady ready) {
        for (DriftKind kind : DriftKind.values()) {
            Tag ofKind = new Tag("kind", kind.wire());
            registry.gauge(
                    described(
                            "huddle_drift_rooms",
                            ClusterWide.DATABASE.described(
                                    "Rooms whose roster and audio disagreed in the newest window.")),
                    () -> drifting(kind),
                    ofKind);
            for (Severity severity : Severity.values()) {
                registry.gauge(
                        described("huddle_alerts_open", ClusterWide.DATABASE.described("Open alerts.")),
                        () -> alerts(kind, severity),
                        ofKind,
                        new Tag("severity", severity.wire()));
            }
        }
        registry.gauge(
                described(
                        "huddle_drift_window_age_seconds",
                        ClusterWide.DATABASE.described(
                                "Since the end of the newest window that was judged: what it has more than a window is no data.")),
                () -> found.windowAge());
        registry.gauge(
                described("huddle_alert_info", "1, with the version of the settings that raise alerts."),
                () -> 1,
                new Tag("version", DriftSettings.thresholds().version()));
        registry.gauge(
                described("huddle_drift_rejections_unnoted", "Rejections of too many rooms at once, not judged."),
                rejections::unnoted);
        objective("ghost_seconds", Setting.OBJECTIVE_GHOST_SECONDS);
        objective("ghosts_ppm", Setting.OBJECTIVE_GHOSTS_PPM);
        objective("false_removals_ppm", Setting.OBJECTIVE_FALSE_REMOVALS_PPM);
        background.repeat("the gauges of drift", Duration.ZERO, EVERY, this::refresh);
    }

    /** @param result {@code delivered}, {@code retried} or {@code given_up} */
    void delivery(String result) {
        registry.counter(DELIVERIES, new Tag("result", result)).inc();
    }

    private void objective(String name, Setting setting) {
        int value = setting.value();
        registry.gauge(
                described("huddle_objectives", "The objectives, as they are set."),
                () -> value,
                new Tag("objective", name));
    }

    private static Metadata described(String name, String description) {
        return Metadata.builder().withName(name).withDescription(description).build();
    }

    private static String key(String kind, String severity) {
        return kind + " " + severity;
    }

    private double drifting(DriftKind kind) {
        Found now = found;
        return now.of(now.drifting(), kind.wire());
    }

    private double alerts(DriftKind kind, Severity severity) {
        Found now = found;
        return now.of(now.alerts(), key(kind.wire(), severity.wire()));
    }

    private void refresh() throws SQLException {
        boolean answered = false;
        try {
            found = read();
            answered = true;
        } finally {
            if (!answered) {
                found = Found.NOTHING_KNOWN;
            }
        }
    }

    private Found read() throws SQLException {
        try (Connection connection = database.connection()) {
            Map<String, Long> rooms = new HashMap<>();
            try (PreparedStatement query = connection.prepareStatement(DRIFTING);
                    ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    rooms.put(row.getString(1), row.getLong(2));
                }
            }
            Map<String, Long> open = new HashMap<>();
            try (PreparedStatement query = connection.prepareStatement(OPEN);
                    ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    open.put(key(row.getString(1), row.getString(2)), row.getLong(3));
                }
            }
            try (PreparedStatement query = connection.prepareStatement(NEWEST);
                    ResultSet row = query.executeQuery()) {
                row.next();
                Timestamp newest = row.getTimestamp(1);
                Duration age = newest == null ? Duration.ZERO : Duration.between(newest.toInstant(), clock.read());
                double windowAge = Math.max(
                                0,
                                age.minus(Duration.ofSeconds(Setting.ALERT_WINDOW_SECONDS.value()))
                                        .toMillis())
                        / 1_000.0;
                return new Found(true, Map.copyOf(rooms), Map.copyOf(open), windowAge);
            }
        }
    }
}
