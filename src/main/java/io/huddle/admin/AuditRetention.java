package io.huddle.admin;

import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.logging.Logger;

/**
 * Deletes the audit's lines that have been kept for long enough, which is for longer than the rooms they tell of. On every
 * node, in small transactions; two nodes that delete the same lines do no harm.
 */
@ApplicationScoped
public class AuditRetention {
    private static final Logger LOG = Logger.getLogger(AuditRetention.class.getName());
    private static final int A_TRANSACTION = 500;

    @Inject
    private AuditLines lines;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Background background;

    void start(@Observes DatabaseReady ready) {
        Duration pause = Duration.ofSeconds(Setting.RETENTION_INTERVAL_SECONDS.value());
        background.repeat("the retention of the audit", pause, pause, this::run);
    }

    private void run() throws SQLException {
        Instant old = clock.read().minus(Duration.ofHours(Setting.AUDIT_RETENTION_HOURS.value()));
        while (lines.trim(old, A_TRANSACTION) == A_TRANSACTION) {
            LOG.fine("removed lines of the audit past their retention");
        }
    }
}
