package io.huddle.presence;

import io.huddle.event.Events;
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
 * Closes rooms that nobody uses, and deletes what has been kept for long enough: events, and closed rooms with their
 * sessions, events and keys. On every node, in small transactions that skip what another node holds.
 */
@ApplicationScoped
public class Retention {
    private static final Logger LOG = Logger.getLogger(Retention.class.getName());
    private static final int A_TRANSACTION = 500;

    @Inject
    private Tombstones tombstones;

    @Inject
    private Events events;

    @Inject
    private Closer closer;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Background background;

    void start(@Observes DatabaseReady ready) {
        Duration pause = Duration.ofSeconds(Setting.RETENTION_INTERVAL_SECONDS.value());
        background.repeat("the retention job", pause, pause, this::run);
    }

    private void run() throws SQLException {
        closer.closeIdle();
        Instant now = clock.read();
        Instant rooms = now.minus(Duration.ofHours(Setting.ROOM_RETENTION_HOURS.value()));
        while (tombstones.remove(rooms) > 0) {
            LOG.fine("removed closed rooms past their retention");
        }
        Instant old = now.minus(Duration.ofHours(Setting.EVENT_RETENTION_HOURS.value()));
        while (events.trim(old, A_TRANSACTION) == A_TRANSACTION) {
            LOG.fine("removed events past their retention");
        }
    }
}
