package io.huddle.presence;

import io.huddle.store.Failure;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Leads a room through the steps of {@link Closings}, for a caller, for an idle room, or in place of a node that died half
 * way. A SIGKILL between two steps leaves a room that is {@code closing}: it accepts no join and no renewal, and any other
 * node finishes it within {@code huddle.room.close-recovery-seconds} and a sweep.
 */
@ApplicationScoped
public class Closer {
    private static final Logger LOG = Logger.getLogger(Closer.class.getName());

    @Inject
    private Closings closings;

    /** The remaining steps of a room that is closing already. */
    void finish(String room) throws SQLException {
        closings.endLeases(room);
        closings.finish(room);
    }

    /** Rooms that other nodes left behind half closed. */
    List<String> abandoned() throws SQLException {
        return closings.abandoned();
    }

    /** Closes the rooms that nobody has used for the configured time. */
    void closeIdle() throws SQLException {
        for (String room : closings.idle()) {
            if (closings.beginIdle(room)) {
                attempt(room);
            }
        }
    }

    /** Finishes a closing room; its trouble, if there is any, is logged and does not hold up the others. */
    void attempt(String room) {
        try {
            finish(room);
        } catch (SQLException | RuntimeException failed) {
            Level level = Failure.of(failed) == Failure.DEFECT ? Level.SEVERE : Level.FINE;
            LOG.log(level, "closing a room failed; the next sweep tries again", failed);
        }
    }
}
