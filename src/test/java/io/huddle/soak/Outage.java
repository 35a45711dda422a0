package io.huddle.soak;

import io.huddle.client.HuddleFailure.Reason;
import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code CLIENTS}: a node with so many is killed; then Redis is away for half a minute, comes back empty, and is emptied
 * while clients reconnect. Prints what each cost and ends with 1 where a bound was missed.
 */
final class Outage {
    private static final Duration LEASE = Duration.ofSeconds(9);

    /** From a node's death to the last that is told of it. */
    private static final Duration ORPHANED = LEASE.plusSeconds(3);

    private static final Duration BACK = Duration.ofSeconds(90);
    private static final Duration CONVERGED = Duration.ofSeconds(10);
    private static final Duration AWAY = Duration.ofSeconds(30);
    private static final Duration EMPTY_AFTER = Duration.ofSeconds(12);
    private static final int WARMING = 8;

    /** Nobody is judged by how long a node takes that has just started. */
    private static final Duration WARM = Duration.ofMinutes(3);

    private static final long PAUSE_MS = 250;
    private static final Pattern TOLD =
            Pattern.compile("told of (\\d+) of the (\\d+) clients in a chunk of the dead node (\\d+)");

    private final Report report = new Report("outage");
    private final Place place;
    private final Crowd crowd;
    private final Random random = new Random(1);
    private final CountDownLatch never = new CountDownLatch(1);

    private Outage(Place place, Crowd crowd) {
        this.place = place;
        this.crowd = crowd;
    }

    public static void main(String[] arguments) throws Exception {
        boolean isWell;
        try (Place place = new Place();
                Crowd crowd = new Crowd(place)) {
            isWell = new Outage(place, crowd).run(Integer.parseInt(arguments[0]));
        }
        System.exit(isWell ? 0 : 1);
    }

    private boolean run(int clients) throws Exception {
        Node dies = place.nodes.get(2);
        crowd.gather(clients, false);
        warm(clients);
        crowd.balancer().favour(dies);
        crowd.balancer().cut(clients);
        crowd.awaitAll(WARM);
        Awaiting.until(BACK, "the registry says who is connected", crowd::isRegistryTrue);
        report.tell(
                "%d clients on %s, half of them participants, every other one to come back late", clients, dies.name());
        kill(dies);
        report.tell("redis stopped for %d s, restarted with its data", AWAY.toSeconds());
        redis(() -> place.redis.stop(), AWAY, () -> place.redis.start(), 0);
        report.tell("redis killed, %d s later restarted empty", EMPTY_AFTER.toSeconds());
        redis(() -> place.redis.kill9(), EMPTY_AFTER, () -> place.redis.startEmpty(), 0);
        report.tell("redis restarted empty at once, while a fifth of the clients lose their connections");
        redis(() -> {}, Duration.ZERO, () -> place.redis.restartEmpty(), clients / 5);
        report.tell(
                "          joins that were not answered whole within ten seconds: %d",
                crowd.visitors().stream().mapToInt(Visitor::halfAnswers).sum());
        report.write();
        return report.isWell();
    }

    /** Nodes that have run for a while: the compilers have seen what is measured. */
    private void warm(int clients) {
        Duration last = Duration.ZERO;
        for (int round = 0; round < WARMING; round++) {
            crowd.balancer().cut(clients);
            last = crowd.awaitAll(WARM);
        }
        report.tell(
                "everybody reconnected %d times before, so that the nodes are warm; the last time within %.1f s",
                WARMING, Report.seconds(last));
    }

    // A node dies.

    private void kill(Node dies) {
        Map<String, Long> before = new HashMap<>();
        crowd.visitors().forEach(visitor -> before.put(visitor.id(), visitor.generation()));
        Map<Visitor, Integer> connections =
                crowd.visitors().stream().collect(Collectors.toMap(visitor -> visitor, Visitor::connections));
        String number =
                Objects.requireNonNull(listedAll().get(crowd.visitors().get(0).id()));
        List<Visitor> late = crowd.visitors().stream().filter(Outage::isLate).toList();
        late.forEach(Visitor::fallSilent);
        Set<String> lost = late.stream()
                .filter(Visitor::isParticipant)
                .map(Visitor::id)
                .collect(Collectors.toCollection(TreeSet::new));
        crowd.balancer().favour(null);
        long killed = System.nanoTime();
        dies.kill9();

        // Whoever was silent for long enough is in doubt for that, and not once more when the node is found dead.
        Moment suspected = new Moment(killed, () -> suspectedIn(before).containsAll(lost));
        Moment told = new Moment(
                killed,
                () -> listed(number).isEmpty()
                        && place.operator(place.nodes.get(0))
                                        .get("/admin/orphans")
                                        .json()
                                        .getInt("items")
                                == 0
                        && told(number)[1] >= late.size());
        untilDone(killed, () -> {
            boolean areInDoubt = suspected.isReached();
            return told.isReached() && areInDoubt;
        });
        report.bound(suspected.after(), ORPHANED, "all " + lost.size() + " participants that stayed away in doubt");
        report.bound(told.after(), ORPHANED, "the last orphan told of");
        long[] sum = told(number);
        report.rule(
                sum[0] >= late.size(),
                "told of %d clients in chunks of %d altogether; %d had not come back",
                sum[0],
                sum[1],
                late.size());

        crowd.connect(late);
        Duration back = Duration.ofNanos(System.nanoTime() - killed);
        report.bound(back, BACK, "all " + before.size() + " back, those that were to come late among them,");
        List<String> doubted = doubts().stream()
                .filter(doubt -> doubt.reason().equals("node-lost"))
                .filter(doubt -> doubt.generation() > before.getOrDefault(doubt.session(), 0L))
                .map(Doubt::session)
                .toList();
        report.rule(doubted.isEmpty(), "in doubt under a generation that had come back by itself: %d", doubted.size());
        judgeReturn(before, connections, number);
        crowd.judgePresence(report);
        dies.restart();
        dies.awaitReady();
        crowd.awaitAll(BACK);
    }

    private static boolean isLate(Visitor visitor) {
        return !visitor.returns();
    }

    private void judgeReturn(Map<String, Long> before, Map<Visitor, Integer> connections, String dead) {
        Awaiting.until(
                BACK,
                "the registry says who is connected",
                () -> listedAll().keySet().equals(before.keySet()));
        Map<String, String> now = listedAll();
        report.rule(!now.containsValue(dead), "all are on other nodes");
        List<String> same = crowd.visitors().stream()
                .filter(visitor ->
                        visitor.isParticipant() && visitor.generation() <= before.getOrDefault(visitor.id(), 0L))
                .map(Visitor::id)
                .toList();
        report.rule(same.isEmpty(), "participants without a higher generation: %d", same.size());
        long once = crowd.visitors().stream()
                .filter(visitor -> visitor.connections() == connections.getOrDefault(visitor, 0) + 1)
                .count();
        report.tell("          %d of %d needed one connection to be back", once, before.size());
    }

    private Map<String, String> listedAll() {
        return place.listed(place.nodes.get(0));
    }

    private List<String> listed(String number) {
        return listedAll().entrySet().stream()
                .filter(entry -> entry.getValue().equals(number))
                .map(Map.Entry::getKey)
                .toList();
    }

    private record Doubt(String session, long generation, String reason) {}

    private List<Doubt> doubts() {
        return place
                .store
                .column("SELECT session_id || ' ' || generation || ' ' || coalesce(reason, '') FROM room_event"
                        + " WHERE type = 'participant.suspected'")
                .stream()
                .map(row -> String.valueOf(row).split(" ", 3))
                .map(parts -> new Doubt(parts[0], Long.parseLong(parts[1]), parts[2]))
                .toList();
    }

    /** The sessions that were in doubt in this very generation. */
    private Set<String> suspectedIn(Map<String, Long> generations) {
        return doubts().stream()
                .filter(doubt -> generations.getOrDefault(doubt.session(), 0L) == doubt.generation())
                .map(Doubt::session)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** When something was first seen to be so. One thread. */
    private static final class Moment {
        private final long start;
        private final Callable<Boolean> condition;
        private @Nullable Duration after;

        Moment(long start, Callable<Boolean> condition) {
            this.start = start;
            this.condition = condition;
        }

        boolean isReached() throws Exception {
            if (after == null && condition.call()) {
                after = Duration.ofNanos(System.nanoTime() - start);
            }
            return after != null;
        }

        /** Until now if it was never seen. */
        Duration after() {
            return after == null ? Duration.ofNanos(System.nanoTime() - start) : after;
        }
    }

    /** How many clients of the node were told of, and how many its chunks held, as the logs have it. */
    private long[] told(String number) {
        long[] sum = new long[2];
        for (Node node : place.nodes) {
            Matcher found = TOLD.matcher(log(node));
            while (found.find()) {
                if (found.group(3).equals(number)) {
                    sum[0] += Long.parseLong(found.group(1));
                    sum[1] += Long.parseLong(found.group(2));
                }
            }
        }
        return sum;
    }

    /** The server's own log, which has what the console spares. */
    private static String log(Node node) {
        try {
            return Files.readString(node.logs().resolve("messages.log"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Duration untilDone(long start, Callable<Boolean> done) {
        try {
            Awaiting.until(BACK, "done", done);
        } catch (RuntimeException never) {
            System.out.println("not within " + BACK + ": " + never.getMessage());
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    // Redis.

    private void redis(Runnable end, Duration away, Runnable begin, int cut) throws InterruptedException {
        Map<Reason, Long> before = crowd.losses();
        end.run();
        Map<String, Integer> calls = new TreeMap<>();
        long gone = System.nanoTime();
        Duration fenced = LEASE.plusSeconds(1);
        while (System.nanoTime() - gone < away.toNanos()) {
            Answer answer = call();
            boolean isLate = System.nanoTime() - gone > fenced.toNanos();
            calls.merge((isLate ? "fenced " : "before ") + outcome(answer), 1, Integer::sum);
            boolean unused = never.await(PAUSE_MS, TimeUnit.MILLISECONDS);
        }
        begin.run();
        long returned = System.nanoTime();
        int cuts = crowd.balancer().cut(cut);
        Duration leased = untilDone(
                returned,
                () -> place.nodes.stream()
                        .anyMatch(node -> place.metric(node, "huddle_mesh_lease_remaining_seconds") > 0));
        crowd.awaitAll(BACK);
        Duration all = Duration.ofNanos(System.nanoTime() - returned);
        Duration converged = untilDone(returned, crowd::isRegistryTrue);
        Duration calling = untilDone(returned, () -> place.nodes.stream().allMatch(this::isCalling));
        if (away.compareTo(fenced) > 0) {
            Set<String> late = calls.keySet().stream()
                    .filter(key -> key.startsWith("fenced "))
                    .collect(Collectors.toCollection(TreeSet::new));
            report.rule(late.equals(Set.of("fenced 503 owner-unavailable")), "calls meanwhile: %s", calls);
        }
        report.tell(
                "          first lease after %.1f s, everybody connected after %.1f s, calls from every node after %.1f s",
                Report.seconds(leased), Report.seconds(all), Report.seconds(calling));
        report.bound(converged.minus(leased), CONVERGED, "from the first lease, the registry equals the connections");
        judgeLosses(before, cuts);
        crowd.judgePresence(report);
    }

    private void judgeLosses(Map<Reason, Long> before, int cuts) {
        Map<Reason, Long> now = crowd.losses();
        before.forEach((reason, count) -> now.merge(reason, -count, Long::sum));
        now.values().removeIf(count -> count == 0);
        now.remove(Reason.SUPERSEDED);
        long lost = now.getOrDefault(Reason.LOST, 0L);
        now.remove(Reason.LOST);
        report.rule(
                now.isEmpty() && lost == cuts,
                "connections that ended: %d of the %d that were cut, others %s",
                lost,
                cuts,
                now);
    }

    /** Calls somebody by a node that most likely is another's. */
    private Answer call() {
        Visitor visitor = crowd.visitors().get(random.nextInt(crowd.visitors().size()));
        return call(place.any(random), visitor);
    }

    private Answer call(Node node, Visitor visitor) {
        return place.integrator(node)
                .within(Duration.ofSeconds(8))
                .post(
                        "/clients/" + visitor.id() + "/invoke",
                        Api.json()
                                .add("type", "drill")
                                .add("data", 1)
                                .add("timeoutMs", 3_000)
                                .build());
    }

    private boolean isCalling(Node node) {
        return call(node, crowd.visitors().get(0)).status() == 200
                && call(node, crowd.visitors().get(1)).status() == 200
                && call(node, crowd.visitors().get(2)).status() == 200;
    }

    private static String outcome(Answer answer) {
        if (answer.status() == 200) {
            return "ok";
        }
        JsonObject problem = answer.json();
        return answer.status() + " " + problem.getString("code", "");
    }
}
