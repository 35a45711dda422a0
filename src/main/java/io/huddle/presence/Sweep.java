package io.huddle.presence;

import io.huddle.rollout.Stages;
import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.Database;
import io.huddle.store.DatabaseReady;
import io.huddle.store.Failure;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Ends what has run out, on every node, several times a second.
 *
 * <p>Finds candidates without locks; takes their rooms with SKIP LOCKED, so that two sweeps never wait for each other and
 * never tell an expiry twice; judges again under the locks. It expires only leases that ended before the beat that it
 * wrote itself, so a sweep that was stopped for minutes and goes on does no harm. A SIGKILL costs at most the transaction
 * under way; the next sweep, here or on another node, finds the same candidates.
 */
@ApplicationScoped
public class Sweep {
    private static final Logger LOG = Logger.getLogger(Sweep.class.getName());

    /** After so many a run ends: it is not the rooms, it is the database. */
    private static final int FAILURES_A_RUN = 3;

    /** Bounds how long a transaction holds its rooms: joins and leaves wait for it. */
    private static final int SESSIONS_A_TRANSACTION = 100;

    private static final int CANDIDATES = 2_000;
    private static final String DUE = "SELECT room_id, id FROM room_session"
            + " WHERE state IN ('present', 'suspect', 'suspended') AND room_open AND ((lease_until <= ?"
            // Told already and not applied: due only once leases end sessions.
            + " AND (NOT lapse_told OR (SELECT " + Stages.ofTeam("r.team") + " FROM room r WHERE r.id = room_id)"
            + " IN ('leases', 'alerting')))"
            + " OR (state = 'present' AND CAST(? AS TIMESTAMP WITH TIME ZONE)"
            + " > GREATEST(proven_at, CAST(? AS TIMESTAMP WITH TIME ZONE))"
            + " + heartbeat_seconds * INTERVAL '2' SECOND))"
            + " ORDER BY room_id FETCH FIRST " + CANDIDATES + " ROWS ONLY";

    private final Duration pause = Duration.ofMillis(Setting.SWEEP_INTERVAL_MS.value());

    /** By {@link System#nanoTime}; of the one run at a time. */
    private volatile long lastBeat;

    @Inject
    private Database database;

    @Inject
    private Heartbeat heartbeat;

    @Inject
    private Sessions sessions;

    @Inject
    private Closer closer;

    @Inject
    private DatabaseContact contact;

    @Inject
    private Background background;

    void start(@Observes DatabaseReady ready) {
        background.repeat("the sweep", Duration.ZERO, pause, this::run);
    }

    private void run() throws SQLException {
        Moment written = beat();
        if (written != null) {
            sweep(written);
            for (String room : closer.abandoned()) {
                closer.attempt(room);
                keepBeating();
            }
        }
    }

    /** One share's trouble, a row that is locked for long or a defect, does not hold up the others; a lost database does. */
    private void sweep(Moment written) throws SQLException {
        int left = FAILURES_A_RUN;
        for (Map<String, List<String>> share : SweepRules.shares(due(written), SESSIONS_A_TRANSACTION)) {
            try {
                sessions.sweep(share, written);
            } catch (SQLException | RuntimeException failed) {
                left--;
                if (left == 0) {
                    throw failed;
                }
                Level level = Failure.of(failed) == Failure.DEFECT ? Level.SEVERE : Level.FINE;
                LOG.log(level, "a part of the sweep failed; the next run follows", failed);
            }
            keepBeating();
        }
    }

    private @Nullable Moment beat() throws SQLException {
        Moment written = heartbeat.advance();
        contact.made();
        lastBeat = System.nanoTime();
        return written;
    }

    /** Work that takes long is no outage: in between, too, the sweep tells that leases are judged. */
    private void keepBeating() throws SQLException {
        if (System.nanoTime() - lastBeat > pause.toNanos()) {
            beat();
        }
    }

    /** The sessions that something is due of, by room. */
    private Map<String, List<String>> due(Moment written) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(DUE)) {
            Timestamp now = Timestamp.from(written.now());
            query.setTimestamp(1, now);
            query.setTimestamp(2, now);
            query.setTimestamp(3, Timestamp.from(written.graced()));
            Map<String, List<String>> rooms = new TreeMap<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    rooms.computeIfAbsent(rows.getString(1), room -> new ArrayList<>())
                            .add(rows.getString(2));
                }
            }
            return rooms;
        }
    }
}
