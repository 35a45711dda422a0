package io.huddle.security;

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
 * Deletes the nonces and tickets that no handshake can use any more. On every node, in small transactions.
 *
 * <p>A timestamp is accepted for as long before the database's clock as after it, so a nonce could come again for twice
 * that time; it is kept for three times.
 */
@ApplicationScoped
public class SpentProofs {
    private static final Logger LOG = Logger.getLogger(SpentProofs.class.getName());
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final int A_TRANSACTION = 500;
    private static final int KEPT_DRIFTS = 3;

    @Inject
    private Nonces nonces;

    @Inject
    private Tickets tickets;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Background background;

    private final Duration kept = Duration.ofSeconds((long) KEPT_DRIFTS * Setting.CLOCK_DRIFT_SECONDS.value());

    void start(@Observes DatabaseReady ready) {
        background.repeat("the removal of used nonces and tickets", PAUSE, PAUSE, this::run);
    }

    private void run() throws SQLException {
        Instant now = clock.read();
        while (nonces.trim(now.minus(kept), A_TRANSACTION) == A_TRANSACTION) {
            LOG.fine("removed used nonces");
        }
        while (tickets.trim(now, A_TRANSACTION) == A_TRANSACTION) {
            LOG.fine("removed expired tickets");
        }
    }
}
