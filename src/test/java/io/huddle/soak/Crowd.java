package io.huddle.soak;

import io.huddle.client.HuddleFailure;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Balancer;
import io.huddle.harness.Node;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Many visitors of three nodes behind one balancer, half of them participants, half clients with keys. The balancer asks
 * every node each half second whether it is ready, as any does. One thread's, but for what its visitors use.
 */
final class Crowd implements AutoCloseable {
    static final int HEARTBEAT_SECONDS = 15;
    static final int LEASE_SECONDS = 60;

    private static final int ROOM = 100;
    private static final int AT_ONCE = 48;
    private static final int CHECK_MS = 500;
    private static final Duration GATHERING = Duration.ofMinutes(3);

    private final Place place;
    private final Balancer balancer;
    private final List<Visitor> visitors = new ArrayList<>();
    private final Set<Node> ready = ConcurrentHashMap.newKeySet();
    private final AtomicInteger turn = new AtomicInteger();
    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(4);

    Crowd(Place place) {
        this.place = place;
        this.balancer = Balancer.of(place.nodes);
        ready.addAll(place.nodes);
        for (Node node : place.nodes) {
            var unused = clock.scheduleWithFixedDelay(() -> check(node), CHECK_MS, CHECK_MS, TimeUnit.MILLISECONDS);
        }
        balancer.even(ready::contains);
    }

    private void check(Node node) {
        boolean isReady;
        try {
            isReady = Api.anonymous(node)
                            .atRoot()
                            .within(Duration.ofSeconds(2))
                            .get("/health/ready")
                            .status()
                    == 200;
        } catch (RuntimeException | AssertionError silent) {
            isReady = false;
        }
        if (isReady) {
            ready.add(node);
        } else {
            ready.remove(node);
        }
    }

    boolean isReady(Node node) {
        return ready.contains(node);
    }

    Balancer balancer() {
        return balancer;
    }

    URI stream() {
        return balancer.uri("ws", "/stream");
    }

    /** By one of the nodes that are ready, in turn. */
    Api integrator() {
        List<Node> now = place.nodes.stream().filter(ready::contains).toList();
        List<Node> from = now.isEmpty() ? place.nodes : now;
        return place.integrator(from.get(Math.floorMod(turn.getAndIncrement(), from.size())));
    }

    /** Makes so many visitors, connected, who renew from now on. Of each kind, every other one returns by itself or all do. */
    void gather(int count, boolean allReturn) {
        String room = "";
        for (int i = 0; i < count / 2; i++) {
            if (i % ROOM == 0) {
                room = place.room("drill-" + i, HEARTBEAT_SECONDS, LEASE_SECONDS);
            }
            boolean returns = allReturn || i % 2 == 0;
            visitors.add(Visitor.participant(this, room, "p-" + i, returns));
            String id = "c-drill-" + i;
            visitors.add(Visitor.signed(this, id, key(id), returns));
        }
        connect(visitors);
        AtomicInteger next = new AtomicInteger();
        long pauseMicros = TimeUnit.SECONDS.toMicros(HEARTBEAT_SECONDS) / visitors.size();
        var unused = clock.scheduleAtFixedRate(
                () -> visitors.get(Math.floorMod(next.getAndIncrement(), visitors.size()))
                        .renew(),
                0,
                pauseMicros,
                TimeUnit.MICROSECONDS);
    }

    private String key(String client) {
        JsonObject key = Api.json()
                .add("client", client)
                .add("roles", Json.createArrayBuilder().add("participant"))
                .add("teams", Json.createArrayBuilder().add(Place.TEAM))
                .build();
        return place.operator(place.nodes.get(0))
                .post("/admin/clients/keys", key)
                .assertStatus(201)
                .json()
                .getString("secret");
    }

    /** Connects these, some at a time, again and again those that are refused. */
    void connect(Collection<Visitor> who) {
        Semaphore places = new Semaphore(AT_ONCE);
        for (Visitor visitor : who) {
            places.acquireUninterruptibly();
            connect(visitor, places);
        }
        places.acquireUninterruptibly(AT_ONCE);
        awaitAll(GATHERING);
    }

    private void connect(Visitor visitor, Semaphore places) {
        var unused = visitor.connect().whenComplete((done, failed) -> {
            if (failed == null) {
                places.release();
            } else {
                CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, clock).execute(() -> connect(visitor, places));
            }
        });
    }

    List<Visitor> visitors() {
        return visitors;
    }

    /**
     * Waits until everybody is connected, and says how long that took. Those that do not come back by themselves are sent, some
     * at a time: a machine with other work may lose a connection at once.
     */
    Duration awaitAll(Duration patience) {
        long start = System.nanoTime();
        Semaphore places = new Semaphore(AT_ONCE);
        Set<Visitor> sent = ConcurrentHashMap.newKeySet();
        Awaiting.until(patience, "everybody connected", () -> {
            for (Visitor one : visitors) {
                if (!one.returns() && !one.isConnected() && !sent.contains(one) && places.tryAcquire()) {
                    sent.add(one);
                    var unused = one.connect().whenComplete((done, failed) -> {
                        sent.remove(one);
                        places.release();
                    });
                }
            }
            return visitors.stream().allMatch(Visitor::isConnected);
        });
        return Duration.ofNanos(System.nanoTime() - start);
    }

    long connected() {
        return visitors.stream().filter(Visitor::isConnected).count();
    }

    Set<String> ids() {
        return visitors.stream().map(Visitor::id).collect(Collectors.toCollection(TreeSet::new));
    }

    /** How many established connections ended for which reason so far. */
    Map<HuddleFailure.Reason, Long> losses() {
        return visitors.stream()
                .flatMap(visitor -> visitor.losses().stream())
                .collect(Collectors.groupingBy(HuddleFailure::reason, TreeMap::new, Collectors.counting()));
    }

    /** True if every node lists exactly these, each under the node that it says it has so many streams. */
    boolean isRegistryTrue() {
        Set<String> ids = ids();
        try {
            for (Node node : place.nodes) {
                Map<String, String> listed = place.listed(node);
                if (!listed.keySet().equals(ids) || !streams(node).equals(counts(listed))) {
                    return false;
                }
            }
            return true;
        } catch (RuntimeException | AssertionError notNow) {
            return false;
        }
    }

    private static Map<String, Integer> counts(Map<String, String> listed) {
        Map<String, Integer> counts = new TreeMap<>();
        listed.values().forEach(node -> counts.merge(node, 1, Integer::sum));
        return counts;
    }

    /** What the nodes say of their streams, by number. One that a process had before is a member until its lease ends. */
    private Map<String, Integer> streams(Node asked) {
        Map<String, JsonObject> newest = new TreeMap<>();
        for (JsonObject node : place.listedNodes(asked)) {
            newest.merge(node.getString("process"), node, (one, other) -> number(one) > number(other) ? one : other);
        }
        Map<String, Integer> streams = new TreeMap<>();
        for (JsonObject node : newest.values()) {
            if (node.getInt("streams") > 0) {
                streams.put(node.getString("node"), node.getInt("streams"));
            }
        }
        return streams;
    }

    private static long number(JsonObject node) {
        return Long.parseLong(node.getString("node"));
    }

    /** Nobody's session has ended, in the database's words. */
    void judgePresence(Report report) {
        List<?> absent = place.store.column("SELECT id FROM room_session WHERE state = 'absent'");
        List<?> ends = place.store.column("SELECT type FROM room_event WHERE type IN ('participant.expired',"
                + " 'participant.left', 'participant.removed')");
        List<String> refusals =
                visitors.stream().flatMap(one -> one.refusals().stream()).toList();
        report.rule(
                absent.isEmpty() && ends.isEmpty() && refusals.isEmpty(),
                "absent: %d, ends told: %d, renewals refused: %s",
                absent.size(),
                ends.size(),
                refusals);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        visitors.forEach(Visitor::close);
        balancer.close();
    }
}
