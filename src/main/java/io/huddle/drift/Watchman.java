package io.huddle.drift;

import io.huddle.drift.Judgement.Judged;
import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import io.huddle.time.DatabaseClock;
import io.huddle.web.JsonShapes;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Looks on every node, twice a second, whether a window is due, and writes what the node has counted. */
@ApplicationScoped
public class Watchman {
    private static final Logger LOG = Logger.getLogger(Watchman.class.getName());

    private final PrintStream out = System.out;
    private final Thresholds thresholds = DriftSettings.thresholds();

    /** The last window that this node need not look at again. Of the one run at a time. */
    private volatile @Nullable Instant settled;

    @Inject
    private Windows windows;

    @Inject
    private RejectionCounts counts;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Background background;

    /** An alert's change, as a line of the log: the figures of the alert and nothing else. */
    public record Line(String log, String type, AlertJson alert) {}

    void start(@Observes DatabaseReady ready) {
        Duration tick = DriftSettings.tick(thresholds);
        Duration retention = Duration.ofSeconds(Setting.RETENTION_INTERVAL_SECONDS.value());
        background.repeat("the counts of rejections", tick, tick, this::count);
        background.repeat("the judgement of drift", tick, tick, this::look);
        background.repeat("the retention of alerts", retention, retention, this::trim);
    }

    private void count() throws SQLException {
        Map<String, Integer> taken = counts.take();
        if (taken.isEmpty()) {
            return;
        }
        try {
            windows.count(counts.node(), taken);
        } catch (SQLException | RuntimeException failed) {
            counts.giveBack(taken);
            throw failed;
        }
    }

    private void look() throws SQLException {
        Instant due = Window.due(clock.read(), thresholds.window(), DriftSettings.delay(thresholds))
                .start();
        if (due.equals(settled)) {
            return;
        }
        Judged judged = windows.judge();
        if (judged != null) {
            settled = judged.window().start();
            judged.changed().forEach(alert -> out.println(JsonShapes.json(new Line("alert", change(alert), alert))));
        }
    }

    private static String change(AlertJson alert) {
        if (alert.closedAt() != null) {
            return "alert.closed";
        }
        return alert.openedAt().equals(alert.updatedAt()) ? "alert.opened" : "alert.escalated";
    }

    private void trim() throws SQLException {
        Instant now = clock.read();
        Instant windowsBefore = now.minus(Duration.ofHours(Setting.DRIFT_RETENTION_HOURS.value()));
        Instant alertsBefore = now.minus(Duration.ofHours(Setting.ALERT_RETENTION_HOURS.value()));
        while (windows.trim(windowsBefore, alertsBefore)) {
            LOG.fine("removed windows or alerts past their retention");
        }
    }
}
