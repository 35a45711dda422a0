package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.cluster.MeshCluster.Badge;
import io.huddle.harness.Answer;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DCallRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node stands still for longer than its lease, and goes on believing no time has passed. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class FrozenNodeIT {
    private static final int MOVING = 10;
    private static final int STAYING = 5;

    private final MeshCluster mesh = MeshCluster.healed();
    private final String team = mesh.team();

    /**
     * The frozen node woke up with clients that had moved meanwhile, and went on answering for them. Here it owns nothing when
     * it wakes: the moved clients' old streams end, calls reach the new ones only, and whoever stayed is registered again.
     */
    @Test
    void node_frozenBeyondItsLease_answersNothingAsOwnerWhenItWakes() {
        List<Badge> moving = new ArrayList<>();
        List<StreamClient> stale = new ArrayList<>();
        List<StreamClient> staying = new ArrayList<>();
        Set<String> all = new TreeSet<>();
        for (int i = 0; i < MOVING + STAYING; i++) {
            Badge badge = mesh.badge(team);
            StreamClient stream = badge.connect(mesh.three, "old");
            all.add(badge.id());
            (i < MOVING ? stale : staying).add(stream);
            if (i < MOVING) {
                moving.add(badge);
            }
        }
        String before = mesh.nodeOf(moving.get(0).id());

        mesh.pause(mesh.three);
        List<StreamClient> moved = new ArrayList<>();
        for (Badge badge : moving) {
            Node node = mesh.node(moved.size() % 2);
            moved.add(badge.takeOverInTime(MeshCluster.LEASE.plusSeconds(6), node, "new"));
        }
        int seen = calls(stale);
        List<CompletableFuture<Answer>> asked = new ArrayList<>();
        // These wait in the frozen node, and are the first that it sees.
        moving.forEach(badge -> asked.add(MeshCluster.invokeLater(mesh.integrator(team, mesh.three), badge.id())));
        mesh.resume(mesh.three);

        for (CompletableFuture<Answer> answer : asked) {
            Answer first = answer.join();
            if (first.status() == 200) {
                assertThat(first.json().getString("data")).isEqualTo("new");
            } else {
                assertThat(first.status()).as("%s", first).isIn(404, 503, 504);
            }
        }
        assertThat(stale)
                .allSatisfy(old -> assertThat(
                                old.awaitClose(MeshCluster.CONVERGENCE).code())
                        .isEqualTo(4002));
        assertThat(calls(stale)).isEqualTo(seen);
        mesh.awaitListed(MeshCluster.CONVERGENCE.plus(MeshCluster.FIRST_LEASE), team, all);
        for (Node node : mesh.nodes()) {
            for (Badge badge : moving) {
                Awaiting.asserted(() -> assertThat(MeshCluster.label(mesh.integrator(team, node), badge.id()))
                        .isEqualTo("new"));
            }
        }
        assertThat(moved).noneMatch(StreamClient::isClosed);
        assertThat(staying).noneMatch(StreamClient::isClosed);
        assertThat(MeshCluster.listed(mesh.operator(mesh.one), "&node=" + before))
                .isEmpty();
    }

    /** Shorter than the lease: a pause of the garbage collector costs nobody anything. */
    @Test
    void node_frozenForAMoment_goesOnAsBefore() {
        Badge badge = mesh.badge(team);
        StreamClient stream = badge.connect(mesh.three, "here");
        String before = mesh.nodeOf(badge.id());
        mesh.pause(mesh.three);
        CompletableFuture<Answer> during = MeshCluster.invokeLater(mesh.integrator(team, mesh.one), badge.id());
        Awaiting.holds(Duration.ofSeconds(3), "no answer yet, and no end", () -> !stream.isClosed());
        mesh.resume(mesh.three);

        assertThat(during.join().status()).isIn(200, 502, 503);
        Awaiting.asserted(() -> assertThat(MeshCluster.label(mesh.integrator(team, mesh.one), badge.id()))
                .isEqualTo("here"));
        assertThat(mesh.nodeOf(badge.id())).isEqualTo(before);
        assertThat(stream.isClosed()).isFalse();
    }

    private static int calls(List<StreamClient> streams) {
        return streams.stream()
                .mapToInt(stream -> stream.requests(DCallRequest.class).size())
                .sum();
    }
}
