package io.huddle.soak;

import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * {@code CLIENTS}: a release of three nodes, one after the other, each ended by SIGTERM and started again. Ends with 1 if
 * anybody was absent, or reconnected more than twice.
 */
final class Rolling {
    private static final int MOST_RECONNECTS = 2;
    private static final Duration END = Duration.ofSeconds(30);
    private static final Duration BACK = Duration.ofSeconds(60);

    private Rolling() {}

    public static void main(String[] arguments) throws Exception {
        Report report = new Report("rolling");
        try (Place place = new Place();
                Crowd crowd = new Crowd(place)) {
            crowd.gather(Integer.parseInt(arguments[0]), true);
            report.tell(
                    "%d clients, half of them participants, on nodes %s",
                    crowd.visitors().size(), spread(place, crowd));
            for (Node node : place.nodes) {
                restart(report, place, crowd, node);
            }
            judge(report, crowd);
        }
        report.write();
        System.exit(report.isWell() ? 0 : 1);
    }

    private static List<Integer> spread(Place place, Crowd crowd) {
        return place.nodes.stream().map(crowd.balancer()::connections).toList();
    }

    private static void restart(Report report, Place place, Crowd crowd, Node node) {
        int had = crowd.balancer().connections(node);
        long start = System.nanoTime();
        CompletableFuture<Duration> ended = CompletableFuture.supplyAsync(() -> {
            node.terminate();
            return since(start);
        });
        Awaiting.until(
                END,
                "a client sent away",
                () -> crowd.connected() < crowd.visitors().size() || had == 0);
        crowd.awaitAll(BACK);
        Duration back = since(start);
        Duration end = ended.join();
        if (crowd.connected() < crowd.visitors().size()) {
            crowd.awaitAll(BACK);
            back = since(start);
        }
        node.restart();
        node.awaitReady();
        Awaiting.until(BACK, "the balancer has seen it", () -> crowd.isReady(node));
        report.tell(
                "%s with %d clients: ended after %.1f s, all back after %.1f s, serves again after %.1f s; now %s",
                node.name(),
                had,
                Report.seconds(end),
                Report.seconds(back),
                Report.seconds(since(start)),
                spread(place, crowd));
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    private static void judge(Report report, Crowd crowd) {
        Awaiting.until(BACK, "the registry says who is connected", crowd::isRegistryTrue);
        int most = 0;
        long all = 0;
        long failed = 0;
        for (Visitor visitor : crowd.visitors()) {
            most = Math.max(most, visitor.connections() - 1);
            all += visitor.connections() - 1;
            failed += visitor.failedAttempts();
        }
        report.tell("%d reconnects, %d attempts that were refused or failed", all, failed);
        report.tell("connections ended as %s", crowd.losses());
        report.rule(
                most <= MOST_RECONNECTS, "nobody reconnected more than %d times, of at most %d", most, MOST_RECONNECTS);
        report.rule(crowd.connected() == crowd.visitors().size(), "%d connected at the end", crowd.connected());
        crowd.judgePresence(report);
    }
}
