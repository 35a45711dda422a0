package io.huddle.drift;

import io.huddle.drift.Judgement.Judged;
import io.huddle.store.Database;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the judgement of drift costs: {@code GET /bench/judgement?windows=} answers one line of JSON.
 *
 * <p>10,000 sessions in 2,000 rooms, half of them observed by a media server, the others reporting by themselves; one room
 * in fifty drifts. Windows follow each other by a clock of the benchmark's own, a day ahead of the node's, so that the
 * node's own judgement and sweep find nothing to do. Counted are the processor time of this thread and of the database's
 * process that serves it.
 */
@WebServlet("/bench/judgement")
public class JudgementBench extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** Of a Linux kernel as it is usually built. */
    private static final double MS_A_TICK = 10;

    /** After the process' name; the system's follow. */
    private static final int USER_TICKS = 11;

    private static final int MOST_TRIES = 1_000;
    private static final Duration WINDOW = Duration.ofSeconds(15);
    private static final String[] FILL = {
        "CREATE TABLE IF NOT EXISTS bench_now (id INTEGER PRIMARY KEY, at TIMESTAMPTZ)",
        "DELETE FROM bench_now",
        "INSERT INTO bench_now VALUES (1, clock_timestamp() + INTERVAL '1 day')",
        "INSERT INTO room SELECT 'r-judged' || i, 'bench', 'j' || i, 'j' || i, NULL, FALSE, FALSE, 30, 120, 900, 200,"
                + " 'open', 'bench', now(), NULL, NULL, NULL, 1, 'k', 'f' FROM generate_series(0, 1999) i",
        "INSERT INTO room_event (room_id, seq, id, type, next, at, shadow) SELECT 'r-judged' || i, 1, 'e-judged' || i,"
                + " 'room.opened', 'open', now(), FALSE FROM generate_series(0, 1999) i",
        "INSERT INTO room_session (id, room_id, participant, generation, state, lease_until, proven_at, joined_at,"
                + " counter, room_open, heartbeat_seconds, lease_seconds, suspended_lease_seconds, media_state,"
                + " media_flowing, media_at) SELECT 's-judged' || i, 'r-judged' || (i % 2000), 'p' || i, 1, 'present',"
                + " now() + INTERVAL '3 days', now() + INTERVAL '2 days', now(), -1, TRUE, 30, 120, 900, 'connected',"
                + " i % 2000 % 50 <> 0 OR i < 2000, now() FROM generate_series(0, 9999) i",
        "INSERT INTO room_observation (room_id, source, participant, media, observed_at, received_at)"
                + " SELECT room_id, 'sfu', participant, CASE WHEN media_flowing THEN 'flowing' ELSE 'silent' END, now(),"
                + " now() FROM room_session WHERE id LIKE 's-judged%' AND substr(room_id, 9)::int % 2 = 0",
        "ANALYZE room",
        "ANALYZE room_session",
        "ANALYZE room_observation"
    };
    private static final String[] PASS = {
        "UPDATE bench_now SET at = at + INTERVAL '15 seconds'",
        "UPDATE room_session SET media_at = (SELECT at FROM bench_now) - INTERVAL '5 seconds' WHERE id LIKE 's-judged%'",
        "UPDATE room_observation SET observed_at = (SELECT at FROM bench_now) - INTERVAL '4 seconds'"
    };

    @Inject
    private transient Database database;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int windows = Integer.parseInt(request.getParameter("windows"));
        try {
            run(FILL);
            Judgement judgement = new Judgement(
                    DriftSettings.thresholds(),
                    Duration.ofSeconds(1),
                    Duration.ofDays(2),
                    "(SELECT at FROM bench_now WHERE id = 1)",
                    false);
            for (int i = 0; i < windows; i++) {
                next(judgement, null);
            }
            Cost cost = new Cost(windows);
            for (int i = 0; i < windows; i++) {
                next(judgement, cost);
            }
            response.setContentType("application/json");
            response.getWriter().println(cost.report());
        } catch (SQLException failed) {
            throw new IOException(failed);
        }
    }

    private void next(Judgement judgement, @Nullable Cost cost) throws SQLException, IOException {
        run(PASS);
        try (Connection connection = database.connection()) {
            connection.setAutoCommit(false);
            Path process = Path.of("/proc", backend(connection), "stat");
            Cost.Reading before = Cost.read(process);
            Judged judged = judgement.judge(connection);
            // The node looks for its own windows meanwhile, and whoever looks has the turn for a moment.
            for (int tries = 0; judged == null && tries < MOST_TRIES; tries++) {
                connection.commit();
                before = Cost.read(process);
                judged = judgement.judge(connection);
            }
            connection.commit();
            Objects.requireNonNull(judged, "nothing was due");
            if (cost != null) {
                cost.add(before, Cost.read(process), judged);
            }
            connection.setAutoCommit(true);
        }
    }

    private static String backend(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getString(1);
        }
    }

    private void run(String[] statements) throws SQLException {
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET statement_timeout = 0");
            for (String sql : statements) {
                statement.execute(sql);
            }
            statement.execute("SET statement_timeout = '800ms'");
        }
    }

    /** The sums over all windows, and how long each took. */
    private static final class Cost {
        private final long[] nanos;
        private int windows;
        private double threadMs;
        private double databaseMs;
        private int sessions;
        private int drifting;

        Cost(int windows) {
            nanos = new long[windows];
        }

        private record Reading(long nanos, double threadMs, double databaseMs) {}

        static Reading read(Path process) throws IOException {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            String stat = Files.readString(process);
            String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            double ticks = Double.parseDouble(afterName[USER_TICKS]) + Double.parseDouble(afterName[USER_TICKS + 1]);
            return new Reading(System.nanoTime(), threads.getCurrentThreadCpuTime() / 1e6, ticks * MS_A_TICK);
        }

        void add(Reading before, Reading after, Judged judged) {
            nanos[windows++] = after.nanos() - before.nanos();
            threadMs += after.threadMs() - before.threadMs();
            databaseMs += after.databaseMs() - before.databaseMs();
            sessions = judged.sessions();
            drifting = judged.drifting();
        }

        String report() {
            Arrays.sort(nanos);
            double whole = (threadMs + databaseMs) / windows;
            return String.format(
                    Locale.ROOT,
                    "{\"windows\":%d,\"sessions\":%d,\"drifting\":%d,\"threadMs\":%.1f,\"databaseMs\":%.1f,"
                            + "\"p50Ms\":%.1f,\"maxMs\":%.1f,\"percentOfACore\":%.3f}",
                    windows,
                    sessions,
                    drifting,
                    threadMs / windows,
                    databaseMs / windows,
                    nanos[windows / 2] / 1e6,
                    nanos[windows - 1] / 1e6,
                    100 * whole / WINDOW.toMillis());
        }
    }
}
