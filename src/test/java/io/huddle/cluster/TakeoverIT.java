package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.cluster.MeshCluster.Badge;
import io.huddle.cluster.MeshCluster.Guest;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.URenewRequest;
import io.huddle.wire.URenewResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client id belongs to one connection, and changes hands only when the old one is dead. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class TakeoverIT {
    private static final int TAKEOVERS = 100;
    private static final int RACERS = 24;

    private final MeshCluster mesh = MeshCluster.healed();
    private final String team = mesh.team();

    @Test
    void takeover_onAnotherNode_endsTheOldBeforeTheNewIsPublic() {
        Badge badge = mesh.badge(team);
        StreamClient old = badge.connect(mesh.two, "old");
        String before = mesh.nodeOf(badge.id());

        StreamClient next = badge.takeOver(mesh.one, "new");

        assertThat(old.awaitClose(Duration.ofSeconds(1)).code()).isEqualTo(4002);
        int seen = old.requests(DCallRequest.class).size();
        for (int i = 0; i < 12; i++) {
            assertThat(MeshCluster.label(mesh.integrator(team, mesh.node(i)), badge.id()))
                    .isEqualTo("new");
        }
        assertThat(old.requests(DCallRequest.class)).hasSize(seen);
        assertThat(mesh.nodeOf(badge.id())).isNotEqualTo(before);
        mesh.awaitListed(Awaiting.PATIENCE, team, Set.of(badge.id()));
        assertThat(next.isClosed()).isFalse();
    }

    @Test
    void secondConnection_againstALiveOwner_isAConflict() {
        Badge badge = mesh.badge(team);
        StreamClient first = badge.connect(mesh.two, "first");

        for (Node node : mesh.nodes()) {
            StreamClient second = mesh.keep(badge.draft(node, "second").open());
            assertThat(second.awaitClose().code()).as(node.name()).isEqualTo(4001);
        }

        assertThat(first.isClosed()).isFalse();
        for (Node node : mesh.nodes()) {
            assertThat(MeshCluster.label(mesh.integrator(team, node), badge.id()))
                    .isEqualTo("first");
        }
    }

    @Test
    void generationTwo_onAnotherNode_fencesGenerationOne() {
        String room = mesh.room(team, 20, 60);
        Guest first = mesh.guest(team, room, "ada", mesh.one);

        Guest second = mesh.guest(team, room, "ada", mesh.two);

        assertThat(second.member().generation()).isEqualTo(2);
        assertThat(second.session()).isEqualTo(first.session());
        assertThat(first.stream().awaitClose(Duration.ofSeconds(3)).code()).isEqualTo(4002);
        URenewResponse renewed = second.stream()
                .call(
                        URenewRequest.newBuilder()
                                .setSession(second.session())
                                .setGeneration(2)
                                .build(),
                        URenewResponse.class);
        assertThat(renewed.getState()).isEqualTo("present");
        assertThat(mesh.integrator(team, mesh.three)
                        .get("/clients/" + second.session())
                        .assertStatus(200)
                        .json()
                        .getInt("generation"))
                .isEqualTo(2);
        assertThat(Journal.legal(mesh.store, team).types(room))
                .containsExactly("room.opened", "participant.joined", "participant.reconnected");
    }

    @Test
    void takeovers_fromNodeToNode_leaveOneConnection() {
        Badge badge = mesh.badge(team);
        List<StreamClient> streams = new ArrayList<>();
        for (int i = 0; i < TAKEOVERS; i++) {
            streams.add(badge.takeOverInTime(Awaiting.PATIENCE, mesh.node(i), "turn " + i));
        }
        StreamClient last = streams.remove(streams.size() - 1);

        assertThat(streams)
                .allSatisfy(old ->
                        assertThat(old.awaitClose(Duration.ofSeconds(2)).code()).isEqualTo(4002));
        for (Node node : mesh.nodes()) {
            assertThat(MeshCluster.label(mesh.integrator(team, node), badge.id()))
                    .isEqualTo("turn " + (TAKEOVERS - 1));
        }
        mesh.awaitListed(Awaiting.PATIENCE, team, Set.of(badge.id()));
        assertThat(last.isClosed()).isFalse();
    }

    @Test
    void takeovers_racing_leaveOneConnection() throws Exception {
        Badge badge = mesh.badge(team);
        List<StreamClient> streams = new ArrayList<>();
        for (int i = 0; i < RACERS; i++) {
            streams.add(mesh.keep(badge.draft(mesh.node(i), "racer " + i)
                    .with("supersede", "1")
                    .open()));
        }
        Awaiting.until(
                Duration.ofSeconds(30),
                "one connection left",
                () -> streams.stream().filter(stream -> !stream.isClosed()).count() == 1);
        int winner = 0;
        for (int i = 0; i < RACERS; i++) {
            if (streams.get(i).isClosed()) {
                assertThat(streams.get(i).awaitClose().code()).as("racer " + i).isIn(4002, 1013);
            } else {
                winner = i;
            }
        }
        String label = "racer " + winner;
        Awaiting.asserted(() -> {
            for (Node node : mesh.nodes()) {
                assertThat(MeshCluster.label(mesh.integrator(team, node), badge.id()))
                        .isEqualTo(label);
            }
        });
    }

    /** An owner that lives but cannot be asked to let go is no conflict: a client that takes one for an answer stays away. */
    @Test
    void takeover_whileTheOwnerCannotBeReached_isRetryableAndThenSucceeds() {
        Badge badge = mesh.badge(team);
        StreamClient old = badge.connect(mesh.two, "old");
        mesh.cutLinks();

        Awaiting.asserted(() -> MeshCluster.invoke(mesh.integrator(team, mesh.one), badge.id())
                .assertProblem(503, "owner-unavailable"));
        StreamClient refused =
                mesh.keep(badge.draft(mesh.one, "new").with("supersede", "1").open());
        assertThat(refused.awaitClose(Duration.ofSeconds(40)).code()).isEqualTo(1013);
        assertThat(old.isClosed()).isFalse();
        Api local = mesh.integrator(team, mesh.two);
        assertThat(MeshCluster.label(local, badge.id())).isEqualTo("old");

        mesh.mendLinks();
        var unused = badge.takeOverInTime(Duration.ofSeconds(40), mesh.one, "new");
        assertThat(old.awaitClose().code()).isEqualTo(4002);
        assertThat(MeshCluster.label(local, badge.id())).isEqualTo("new");
    }
}
