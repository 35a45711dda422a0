package io.huddle.presence;

import io.huddle.presence.RenewalBatch.Pair;
import io.huddle.store.Database;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Drives renewals in process: {@code GET /bench/renewals?mode=group|single&callers=&seconds=} answers one line of JSON.
 *
 * <p>Each caller renews a session of its own and sends the next renewal when the last one is answered. In mode
 * {@code group} a caller is what a request or a stream is to the service: a completion, no thread. In mode
 * {@code single} it is a thread that runs the same two statements in a transaction of its own.
 */
@WebServlet("/bench/renewals")
public class RenewalsBench extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final int SESSIONS = 10_000;
    private static final int MOST_SAMPLES = 4_000_000;

    @Inject
    private transient Renewals renewals;

    @Inject
    private transient RenewalBatch batch;

    @Inject
    private transient Database database;

    @Resource
    private transient ManagedThreadFactory threads;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int callers = Integer.parseInt(request.getParameter("callers"));
        int seconds = Integer.parseInt(request.getParameter("seconds"));
        boolean group = request.getParameter("mode").equals("group");
        try {
            fill();
            Run run = new Run(System.nanoTime() + seconds * 1_000_000_000L, callers);
            for (int caller = 0; caller < callers; caller++) {
                String session = String.format(Locale.ROOT, "s-bench%021d", caller);
                if (group) {
                    renew(run, session, 1);
                } else {
                    threads.newThread(() -> renewAlone(run, session)).start();
                }
            }
            run.done.await();
            response.setContentType("application/json");
            response.getWriter().println(run.report(group ? "group" : "single", callers, seconds));
        } catch (SQLException failed) {
            throw new IOException(failed);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void renew(Run run, String session, long counter) {
        long start = System.nanoTime();
        if (start >= run.until) {
            run.done.countDown();
            return;
        }
        renewals.renew("r-bench", session, 1, counter, null).whenComplete((renewal, failed) -> {
            run.sample(start, failed);
            renew(run, session, counter + 1);
        });
    }

    private void renewAlone(Run run, String session) {
        long counter = 1;
        for (long start = System.nanoTime(); start < run.until; start = System.nanoTime()) {
            try {
                boolean renewed =
                        !batch.write(Map.of(new Pair(session, 1), counter++)).isEmpty();
                run.sample(start, renewed ? null : new IllegalStateException("not renewed"));
            } catch (SQLException | RuntimeException failed) {
                run.sample(start, failed);
            }
        }
        run.done.countDown();
    }

    private void fill() throws SQLException {
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM room_session WHERE room_id = 'r-bench'");
            statement.execute("DELETE FROM room WHERE id = 'r-bench'");
            statement.execute("INSERT INTO room VALUES ('r-bench', 'bench', 'o', 'o', NULL, FALSE, TRUE, 30, 120, 900,"
                    + " 200, 'open', 'bench', CURRENT_TIMESTAMP, NULL, NULL, NULL, 1, 'k', 'f')");
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO room_session (id, room_id,"
                    + " participant, generation, state, lease_until, proven_at, joined_at, counter, room_open,"
                    + " heartbeat_seconds, lease_seconds, suspended_lease_seconds) VALUES (?, 'r-bench', ?, 1,"
                    + " 'present', CURRENT_TIMESTAMP + INTERVAL '1' HOUR, CURRENT_TIMESTAMP + INTERVAL '1' HOUR,"
                    + " CURRENT_TIMESTAMP, -1, TRUE, 30, 120, 900)")) {
                for (int i = 0; i < SESSIONS; i++) {
                    insert.setString(1, String.format(Locale.ROOT, "s-bench%021d", i));
                    insert.setString(2, "p" + i);
                    insert.addBatch();
                    if (i % 1_000 == 999) {
                        insert.executeBatch();
                    }
                }
            }
        }
    }

    private static final class Run {
        private final long until;
        private final CountDownLatch done;
        private final int[] micros = new int[MOST_SAMPLES];
        private final AtomicInteger count = new AtomicInteger();
        private final AtomicInteger failures = new AtomicInteger();
        private final long began = System.nanoTime();

        Run(long until, int callers) {
            this.until = until;
            this.done = new CountDownLatch(callers);
        }

        void sample(long start, @org.jspecify.annotations.Nullable Throwable failed) {
            if (failed != null) {
                failures.incrementAndGet();
                return;
            }
            int place = count.getAndIncrement();
            if (place < MOST_SAMPLES) {
                micros[place] = (int) ((System.nanoTime() - start) / 1_000);
            }
        }

        String report(String mode, int callers, int seconds) {
            double took = (System.nanoTime() - began) / 1e9;
            int[] sorted = Arrays.copyOf(micros, Math.min(count.get(), MOST_SAMPLES));
            Arrays.sort(sorted);
            return String.format(
                    Locale.ROOT,
                    "{\"mode\":\"%s\",\"callers\":%d,\"seconds\":%d,\"renewals\":%d,\"failures\":%d,"
                            + "\"perSecond\":%.0f,\"p50Ms\":%.2f,\"p99Ms\":%.2f,\"maxMs\":%.2f}",
                    mode,
                    callers,
                    seconds,
                    count.get(),
                    failures.get(),
                    count.get() / took,
                    at(sorted, 0.5),
                    at(sorted, 0.99),
                    at(sorted, 1));
        }

        private static double at(int[] sorted, double quantile) {
            return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1, quantile * sorted.length)] / 1e3;
        }
    }
}
