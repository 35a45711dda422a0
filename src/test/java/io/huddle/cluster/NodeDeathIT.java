package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.client.ClientKey;
import io.huddle.client.ClientOptions;
import io.huddle.client.Disconnected;
import io.huddle.client.HuddleClient;
import io.huddle.client.HuddleFailure;
import io.huddle.cluster.MeshCluster.Badge;
import io.huddle.cluster.MeshCluster.Guest;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Balancer;
import io.huddle.harness.Node;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node dies without a word. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class NodeDeathIT {
    private static final int GUESTS = 24;
    private static final int CLIENTS = 20;

    /** Of a loaded machine, for what is promised to the second. */
    private static final Duration SLACK = Duration.ofSeconds(2);

    private final MeshCluster mesh = MeshCluster.healed();
    private final String team = mesh.team();

    /**
     * A dead node's people were taken out of their rooms at once, or stayed for hours. Here those that do not come back are in
     * doubt within a lease and three seconds, and in their room until their own lease ends; those that come back elsewhere are
     * never in doubt; and nothing of the dead node stays on record.
     */
    @Test
    void participants_ofADeadNode_areInDoubtUnlessTheyCameBack() throws Exception {
        String room = mesh.room(team, 30, 120);
        List<Guest> lost = new ArrayList<>();
        List<Guest> back = new ArrayList<>();
        for (int i = 0; i < GUESTS; i++) {
            (i % 2 == 0 ? lost : back).add(mesh.guest(team, room, "p" + i, mesh.three));
        }
        Guest elsewhere = mesh.guest(team, room, "elsewhere", mesh.two);
        String dead = mesh.nodeOf(lost.get(0).session());
        assertThat(MeshCluster.listed(mesh.operator(mesh.one), "&node=" + dead)).hasSizeGreaterThanOrEqualTo(GUESTS);

        long killed = System.nanoTime();
        mesh.three.kill9();
        List<Guest> again = new CopyOnWriteArrayList<>();
        try (Crew crew = new Crew()) {
            for (int i = 0; i < back.size(); i++) {
                String participant = back.get(i).member().participant();
                Node node = mesh.node(i % 2);
                crew.run(() -> again.add(mesh.guestInTime(MeshCluster.ORPHANED, team, room, participant, node)));
            }
            crew.join();
        }

        Set<String> doubted = sessions(lost);
        Awaiting.until(
                MeshCluster.ORPHANED.plus(SLACK).minusNanos(System.nanoTime() - killed),
                "all lost in doubt",
                () -> suspects(room).equals(doubted));
        System.out.println("in doubt after " + Duration.ofNanos(System.nanoTime() - killed));
        Journal journal = Journal.legal(mesh.store, team);
        assertThat(journal.of(room).stream().filter(told -> told.type().equals("participant.suspected")))
                .hasSize(lost.size())
                .allSatisfy(told -> assertThat(told.reason()).isEqualTo("node-lost"));
        assertThat(journal.count("participant.expired") + journal.count("participant.left"))
                .isZero();
        assertThat(again).allSatisfy(guest -> {
            assertThat(guest.member().generation()).isGreaterThan(1);
            assertThat(guest.stream().isClosed()).isFalse();
        });

        Set<String> connected = new TreeSet<>(sessions(again));
        connected.add(elsewhere.session());
        mesh.awaitListed(Awaiting.PATIENCE, team, connected);
        assertThat(MeshCluster.listed(mesh.operator(mesh.one), "&node=" + dead)).isEmpty();

        for (Guest guest : lost) {
            Guest returned = mesh.guest(team, room, guest.member().participant(), mesh.one);
            assertThat(returned.member().generation()).isEqualTo(2);
            assertThat(returned.session()).isEqualTo(guest.session());
            connected.add(returned.session());
        }
        assertThat(suspects(room)).isEmpty();
        mesh.awaitListed(Awaiting.PATIENCE, team, connected);
        assertThat(elsewhere.stream().isClosed()).isFalse();
        assertThat(Journal.legal(mesh.store, team).all())
                .noneMatch(told -> told.next().equals("absent"));
    }

    /**
     * After a node's crash its clients' automatic reconnects ended in a conflict with the dead node, and they never came back.
     */
    @Test
    void signedClients_ofADeadNode_comeBackByThemselves() {
        List<HuddleFailure> failures = new CopyOnWriteArrayList<>();
        List<Badge> badges = new ArrayList<>();
        List<HuddleClient> clients = new ArrayList<>();
        Balancer balancer = mesh.keep(Balancer.of(mesh.nodes()));
        balancer.favour(mesh.three);
        for (int i = 0; i < CLIENTS; i++) {
            Badge badge = mesh.badge(team);
            badges.add(badge);
            HuddleClient client = mesh.keep(HuddleClient.withKey(
                    balancer.uri("ws", "/stream"),
                    new ClientKey(badge.id(), badge.secret()),
                    ClientOptions.defaults()
                            .audience("/stream")
                            .onDisconnected((Disconnected how) -> failures.add(how.cause()))));
            client.serve(
                    DCallRequest.class,
                    call -> DCallResponse.newBuilder().setData("\"back\"").build());
            assertThat(client.connect()).succeedsWithin(Duration.ofSeconds(20));
            clients.add(client);
        }
        Set<String> ids = badges.stream().map(Badge::id).collect(Collectors.toCollection(TreeSet::new));
        String dead = mesh.nodeOf(badges.get(0).id());
        assertThat(MeshCluster.listed(mesh.integrator(team, mesh.one), "&node=" + dead))
                .containsOnlyKeys(ids);

        balancer.favour(null);
        long killed = System.nanoTime();
        mesh.three.kill9();

        Awaiting.until(
                MeshCluster.LEASE.plusSeconds(10),
                "all back",
                () -> MeshCluster.listed(mesh.integrator(team, mesh.one), "").entrySet().stream()
                                .filter(entry -> !entry.getValue().equals(dead))
                                .count()
                        == CLIENTS);
        System.out.println("all back after " + Duration.ofNanos(System.nanoTime() - killed));
        assertThat(failures).noneMatch(failure -> failure.reason() == HuddleFailure.Reason.CONFLICT);
        for (Badge badge : badges) {
            assertThat(MeshCluster.label(mesh.integrator(team, mesh.two), badge.id()))
                    .isEqualTo("back");
        }
        assertThat(clients).allMatch(HuddleClient::isConnected);
    }

    /** A dead owner's entry could not be replaced until a sweep had removed it. */
    @Test
    void client_ofADeadNode_takesItsIdOverAtOnceElsewhere() {
        List<Badge> badges = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Badge badge = mesh.badge(team);
            badge.connect(mesh.three, "old");
            badges.add(badge);
        }
        long killed = System.nanoTime();
        mesh.three.kill9();
        for (int i = 0; i < badges.size(); i++) {
            Node node = mesh.node(i % 2);
            StreamClient stream = badges.get(i).takeOverInTime(MeshCluster.LEASE.plusSeconds(4), node, "new");
            assertThat(stream.isClosed()).isFalse();
        }
        System.out.println("taken over after " + Duration.ofNanos(System.nanoTime() - killed));
        for (Badge badge : badges) {
            assertThat(MeshCluster.label(mesh.integrator(team, mesh.one), badge.id()))
                    .isEqualTo("new");
        }
        Awaiting.holds(
                Duration.ofSeconds(5),
                "the new ones stay",
                () -> MeshCluster.listed(mesh.integrator(team, mesh.two), "").size() == badges.size());
    }

    private Set<String> suspects(String room) {
        return entries(room).stream()
                .filter(entry -> entry.getString("state").equals("suspect"))
                .map(entry -> entry.getString("session"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private List<JsonObject> entries(String room) {
        Api api = mesh.integrator(team, mesh.one);
        return api.roster(room).assertStatus(200).json().getJsonArray("entries").getValuesAs(JsonObject.class);
    }

    private static Set<String> sessions(List<Guest> guests) {
        return guests.stream().map(Guest::session).collect(Collectors.toCollection(TreeSet::new));
    }
}
