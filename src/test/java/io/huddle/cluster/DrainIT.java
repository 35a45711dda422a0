package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.client.ClientKey;
import io.huddle.client.ClientOptions;
import io.huddle.client.Disconnected;
import io.huddle.client.HuddleClient;
import io.huddle.cluster.MeshCluster.Badge;
import io.huddle.cluster.MeshCluster.Guest;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Balancer;
import io.huddle.harness.Node;
import io.huddle.harness.StreamClient;
import io.huddle.setting.Release;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node is asked to end, as at every release, or to send its clients away. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class DrainIT {
    private static final int GUESTS = 12;
    private static final int CLIENTS = 12;
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final MeshCluster mesh = MeshCluster.healed();
    private final String team = mesh.team();

    /** Every release made a storm of reconnects, and people vanished from their rooms for its duration. */
    @Test
    void node_terminated_movesItsClientsAndLosesNobody() throws Exception {
        String room = mesh.room(team, 20, 60);
        List<Guest> guests = new ArrayList<>();
        for (int i = 0; i < GUESTS; i++) {
            guests.add(mesh.guest(team, room, "p" + i, mesh.three));
        }
        Map<String, List<Disconnected>> losses = new HashMap<>();
        List<HuddleClient> clients = new ArrayList<>();
        Set<String> ids = new TreeSet<>();
        Balancer balancer = mesh.keep(Balancer.of(mesh.nodes()));
        balancer.favour(mesh.three);
        for (int i = 0; i < CLIENTS; i++) {
            Badge badge = mesh.badge(team);
            ids.add(badge.id());
            List<Disconnected> own = Collections.synchronizedList(new ArrayList<>());
            losses.put(badge.id(), own);
            HuddleClient client = mesh.keep(HuddleClient.withKey(
                    balancer.uri("ws", "/stream"),
                    new ClientKey(badge.id(), badge.secret()),
                    ClientOptions.defaults().audience("/stream").onDisconnected(own::add)));
            assertThat(client.connect()).succeedsWithin(Duration.ofSeconds(20));
            clients.add(client);
        }
        String drained = mesh.nodeOf(guests.get(0).session());

        CompletableFuture<Long> ended;
        try (Crew crew = new Crew()) {
            ended = crew.after(Duration.ZERO, () -> CompletableFuture.supplyAsync(this::terminate));
            for (Guest guest : guests) {
                StreamClient.Close close = guest.stream().awaitClose(DRAIN.plusSeconds(5));
                assertThat(close.code()).isEqualTo(1012);
                assertThat(close.reason()).containsPattern("\\d");
            }
            List<Guest> moved = new ArrayList<>();
            for (Guest guest : guests) {
                moved.add(mesh.guest(team, room, guest.member().participant(), mesh.node(moved.size() % 2)));
            }
            Set<String> all = moved.stream().map(Guest::session).collect(Collectors.toCollection(TreeSet::new));
            all.addAll(ids);
            Duration took = Duration.ofNanos(ended.get(60, TimeUnit.SECONDS));
            System.out.println("ended after " + took);
            assertThat(took).isLessThan(DRAIN.plusSeconds(10));
            mesh.awaitListed(Awaiting.PATIENCE, team, all);
        }

        assertThat(clients).allMatch(HuddleClient::isConnected);
        losses.forEach((id, own) -> assertThat(own).as("losses of %s", id).hasSizeBetween(1, 2));
        Api operator = mesh.operator(mesh.one);
        assertThat(MeshCluster.listed(operator, "&node=" + drained)).isEmpty();
        Journal journal = Journal.legal(mesh.store, team);
        // In doubt for a moment, since its stream is gone, but in the room.
        assertThat(journal.all()).noneMatch(told -> told.next().equals("absent"));
    }

    /**
     * A node with a memory leak had to be killed to be rid of, since nothing but the end of its process moved its clients. An
     * operator empties it from another node; it is seen as drained, answers, and is ended when somebody has the time.
     */
    @Test
    void node_drainedByAnOperator_isEmptiedFromAnotherAndLivesOn() {
        String room = mesh.room(team, 20, 60);
        List<Guest> guests = new ArrayList<>();
        for (int i = 0; i < GUESTS / 2; i++) {
            guests.add(mesh.guest(team, room, "p" + i, mesh.three));
        }
        Balancer balancer = mesh.keep(Balancer.of(mesh.nodes()));
        balancer.favour(mesh.three);
        Badge badge = mesh.badge(team);
        HuddleClient client = mesh.keep(HuddleClient.withKey(
                balancer.uri("ws", "/stream"),
                new ClientKey(badge.id(), badge.secret()),
                ClientOptions.defaults().audience("/stream")));
        assertThat(client.connect()).succeedsWithin(Duration.ofSeconds(20));
        balancer.favour(mesh.one);
        String number = mesh.nodeOf(badge.id());
        for (Node asked : mesh.nodes()) {
            Awaiting.asserted(() -> assertListed(node(asked, number), "ready", false, guests.size() + 1));
        }
        Api operator = mesh.operator(mesh.one);
        operator.post("/admin/nodes/17/drain").assertProblem(404, "not-found");

        operator.post("/admin/nodes/" + number + "/drain").assertStatus(204);

        for (Guest guest : guests) {
            StreamClient.Close close = guest.stream().awaitClose(DRAIN);
            assertThat(close.code()).isEqualTo(1012);
            assertThat(close.reason()).containsPattern("\\d");
        }
        Set<String> all = new TreeSet<>(Set.of(badge.id()));
        for (Guest guest : guests) {
            Node to = mesh.node(all.size() % 2);
            all.add(mesh.guest(team, room, guest.member().participant(), to).session());
        }
        mesh.awaitListed(DRAIN, team, all);
        assertThat(MeshCluster.listed(operator, "&node=" + number)).isEmpty();
        for (Node asked : mesh.nodes()) {
            Awaiting.asserted(() -> assertListed(node(asked, number), "draining", true, 0));
        }
        Api drained = Api.anonymous(mesh.three).atRoot();
        assertThat(drained.get("/health/ready").assertStatus(503).text()).contains("\"state\":\"draining\"");
        assertThat(drained.get("/health/live").status()).isEqualTo(200);
        assertThat(badge.draft(mesh.three, "back").status()).isEqualTo(503);
        mesh.operator(mesh.three).get("/clients/" + badge.id()).assertStatus(200);
        mesh.operator(mesh.two).post("/admin/nodes/" + number + "/drain").assertStatus(204);
        assertThat(mesh.store.column("SELECT actor || ' ' || reason FROM audit WHERE action = 'node.drain'"))
                .containsExactly("on-call a test");
        assertThat(Journal.legal(mesh.store, team).all())
                .noneMatch(told -> told.next().equals("absent"));

        mesh.three.terminate();
        assertThat(nodes(mesh.two)).as("its number is handed back").hasSize(2);
    }

    private static void assertListed(JsonObject node, String state, boolean isDrained, int streams) {
        assertThat(node.getString("state")).isEqualTo(state);
        assertThat(node.getBoolean("drained")).isEqualTo(isDrained);
        assertThat(node.getInt("streams")).isEqualTo(streams);
        assertThat(node.getString("address")).startsWith("ws://localhost:");
        assertThat(node.getString("version")).isEqualTo(Release.version());
        assertThat(node.getJsonNumber("leaseRemainingMs").longValue()).isBetween(1L, MeshCluster.LEASE.toMillis());
        assertThat(Instant.parse(node.getString("since")))
                .isBefore(Instant.now().plusSeconds(5));
    }

    private JsonObject node(Node asked, String number) {
        return nodes(asked).stream()
                .filter(node -> node.getString("node").equals(number))
                .findFirst()
                .orElseThrow();
    }

    private List<JsonObject> nodes(Node asked) {
        return mesh.operator(asked)
                .get("/admin/nodes")
                .assertStatus(200)
                .json()
                .getJsonArray("items")
                .getValuesAs(JsonObject.class);
    }

    private long terminate() {
        long start = System.nanoTime();
        mesh.three.terminate();
        return System.nanoTime() - start;
    }
}
