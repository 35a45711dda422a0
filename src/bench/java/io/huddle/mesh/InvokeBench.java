package io.huddle.mesh;

import io.huddle.bench.Samples;
import io.huddle.web.Causes;
import io.huddle.web.Refused;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Calls clients through this node's client service, without a connection in between: {@code GET
 * /bench/invoke?first=&atATime=&seconds=} keeps one call to each of {@code c-bench<first>} and the following under way.
 */
@WebServlet("/bench/invoke")
public class InvokeBench extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Reach EVERYBODY = new Reach(true, Set.of());

    @Inject
    private transient Clients clients;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int first = Integer.parseInt(request.getParameter("first"));
        int atATime = Integer.parseInt(request.getParameter("atATime"));
        long start = System.nanoTime();
        long until = start + (long) (Double.parseDouble(request.getParameter("seconds")) * 1e9);
        CountDownLatch running = new CountDownLatch(atATime);
        Lane[] lanes = new Lane[atATime];
        for (int i = 0; i < atATime; i++) {
            lanes[i] = new Lane("c-bench" + (first + i), until, running);
        }
        for (Lane lane : lanes) {
            lane.next();
        }
        try {
            running.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException(stopped);
        }
        Samples all = new Samples();
        Map<String, Integer> refusals = new TreeMap<>();
        for (Lane lane : lanes) {
            all.add(lane.samples);
            lane.refusals.forEach((name, count) -> refusals.merge(name, count, Integer::sum));
        }
        all.took(System.nanoTime() - start);
        response.setContentType("application/json");
        response.getWriter()
                .println("{" + all.members() + ",\"refused\":"
                        + refusals.values().stream().mapToInt(Integer::intValue).sum() + ",\"refusals\":\"" + refusals
                        + "\"}");
    }

    /** One client that is called again as soon as it has answered. Its calls never overlap, so that it needs no lock. */
    private final class Lane {
        private final String client;
        private final long until;
        private final CountDownLatch running;
        private final Samples samples = new Samples();
        private final Map<String, Integer> refusals = new TreeMap<>();

        Lane(String client, long until, CountDownLatch running) {
            this.client = client;
            this.until = until;
            this.running = running;
        }

        void next() {
            long sent = System.nanoTime();
            var unused = clients.invoke(EVERYBODY, client, "echo", "1", DEADLINE)
                    .whenComplete((answer, failed) -> ended(sent, failed));
        }

        private void ended(long sent, @Nullable Throwable failed) {
            long now = System.nanoTime();
            if (failed == null) {
                samples.add(now - sent);
            } else {
                Throwable cause = Causes.of(failed);
                String name =
                        cause instanceof Refused refused ? refused.refusal().slug() : cause.toString();
                refusals.merge(name, 1, Integer::sum);
            }
            if (now < until) {
                next();
            } else {
                running.countDown();
            }
        }
    }
}
