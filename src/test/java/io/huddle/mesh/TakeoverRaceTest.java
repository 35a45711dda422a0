package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.mesh.Cluster.Node;
import io.huddle.mesh.Takeover.Outcome;
import io.huddle.mesh.Takeover.Standing;
import io.huddle.registry.ClientRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several claimants of one client id on several nodes at once, with faults from a seed. */
class TakeoverRaceTest {
    private static final int CLAIMANTS = 6;
    private static final int ROUNDS = 60;

    private final ExecutorService threads = Executors.newFixedThreadPool(CLAIMANTS);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 30})
    void claimants_atOnce_leaveOneOwnerAndNothingElse(int faultsInAHundred) throws Exception {
        for (int seed = 0; seed < ROUNDS; seed++) {
            race(seed, faultsInAHundred);
        }
    }

    private void race(int seed, int faults) throws Exception {
        String what = "seed " + seed + " with " + faults + " faults in a hundred";
        Random random = new Random(seed);
        Cluster cluster = new Cluster();
        List<Node> nodes = List.of(cluster.hasty("process-a"), cluster.hasty("process-b"), cluster.hasty("process-c"));
        if (random.nextBoolean()) {
            nodes.get(0).connected("x-old", 1);
        }
        List<Long> orders = new ArrayList<>(List.of(2L, 3L, 4L, 5L, 6L, 7L));
        Collections.shuffle(orders, random);
        cluster.faulty.scatter(new Random(seed), faults);
        Random ofFences = new Random(seed);
        cluster.trouble = record -> {
            synchronized (ofFences) {
                return ofFences.nextInt(100) < faults ? Standing.UNKNOWN : null;
            }
        };

        Map<String, Long> won = new ConcurrentHashMap<>();
        List<String> violations = Collections.synchronizedList(new ArrayList<>());
        CyclicBarrier start = new CyclicBarrier(CLAIMANTS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < CLAIMANTS; i++) {
            Node node = nodes.get(i % nodes.size());
            long order = orders.get(i);
            String connection = "x-" + i;
            running.add(threads.submit(() -> {
                start.await(10, TimeUnit.SECONDS);
                Map<String, Long> before = Map.copyOf(won);
                if (node.take(connection, order, false).outcome() == Outcome.TAKEN) {
                    before.forEach((other, itsOrder) -> {
                        if (itsOrder > order) {
                            violations.add(connection + " won after the newer " + other);
                        }
                        if (nodes.stream().anyMatch(one -> one.alive.containsKey(other))) {
                            violations.add(connection + " won while " + other + " lived");
                        }
                    });
                    won.put(connection, order);
                }
                return null;
            }));
        }
        for (Future<?> one : running) {
            one.get(30, TimeUnit.SECONDS);
        }

        cluster.faulty.scatter(new Random(seed), 0);
        cluster.faulty.deliverLate();
        nodes.forEach(node -> node.remainders.again());
        assertThat(violations).as(what).isEmpty();
        assertThat(nodes).as(what).allMatch(node -> node.remainders.size() == 0);
        assertThat(cluster.sight().claim()).as(what).isNull();

        List<String> alive =
                nodes.stream().flatMap(node -> node.alive.keySet().stream()).toList();
        ClientRecord record = cluster.sight().record();
        if (won.isEmpty()) {
            assertThat(alive).as(what).isSubsetOf("x-old");
        } else {
            String newest = Collections.max(won.entrySet(), Map.Entry.comparingByValue())
                    .getKey();
            // A claimant may have fenced it, and then not have heard that its own commit was done.
            assertThat(alive).as(what).isSubsetOf(newest);
            assertThat(alive).as(what).hasSizeGreaterThanOrEqualTo(faults == 0 ? 1 : 0);
            if (!alive.isEmpty()) {
                assertThat(record == null ? null : record.connectionId())
                        .as(what)
                        .isEqualTo(newest);
            }
        }
    }

    @Test
    void unorderedClaimants_atOnce_leaveOneOwner() throws Exception {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Cluster cluster = new Cluster();
            List<Node> nodes = List.of(cluster.hasty("process-a"), cluster.hasty("process-b"));
            CyclicBarrier start = new CyclicBarrier(4);
            List<Future<Outcome>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Node node = nodes.get(i % 2);
                String connection = "x-" + i;
                running.add(threads.submit(() -> {
                    start.await(10, TimeUnit.SECONDS);
                    return node.take(connection, 0, true).outcome();
                }));
            }
            List<Outcome> outcomes = new ArrayList<>();
            for (Future<Outcome> one : running) {
                outcomes.add(one.get(30, TimeUnit.SECONDS));
            }

            nodes.forEach(node -> node.remainders.again());
            List<String> alive =
                    nodes.stream().flatMap(node -> node.alive.keySet().stream()).toList();
            assertThat(outcomes).as("seed " + seed).contains(Outcome.TAKEN);
            assertThat(alive)
                    .as("seed " + seed)
                    .containsExactly(cluster.record().connectionId());
            assertThat(cluster.sight().claim()).isNull();
        }
    }
}
