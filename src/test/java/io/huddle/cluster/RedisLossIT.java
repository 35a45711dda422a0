package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.cluster.MeshCluster.Badge;
import io.huddle.cluster.MeshCluster.Guest;
import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.StreamClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Redis routes and may be lost; nobody's connection and nobody's presence depends on it. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RedisLossIT {
    private static final int CLIENTS = 30;
    private static final int GUESTS = 9;
    private static final Duration PACE = Duration.ofSeconds(1);

    private final MeshCluster mesh = MeshCluster.healed();
    private final String team = mesh.team();
    private final Crew crew = new Crew();
    private final List<Badge> badges = new ArrayList<>();
    private final List<StreamClient> streams = new ArrayList<>();
    private final List<Heart> hearts = new ArrayList<>();
    private final Set<String> connected = new TreeSet<>();
    private String room = "";

    @BeforeEach
    void connect() {
        room = mesh.room(team, 3, 9);
        for (int i = 0; i < CLIENTS; i++) {
            Badge badge = mesh.badge(team);
            badges.add(badge);
            streams.add(badge.connect(mesh.node(i), "client " + i));
            connected.add(badge.id());
        }
        for (int i = 0; i < GUESTS; i++) {
            Guest guest = mesh.guest(team, room, "p" + i, mesh.node(i));
            hearts.add(Heart.of(crew, guest.member(), mesh.node(i), PACE));
            streams.add(guest.stream());
            connected.add(guest.session());
        }
        mesh.awaitListed(Awaiting.PATIENCE, team, connected);
    }

    @AfterEach
    void rest() {
        crew.close();
    }

    @Test
    void redis_goneForTenSeconds_costsCallsAndNothingElse() {
        mesh.stopRedis();
        Awaiting.asserted(Duration.ofSeconds(12), () -> callFrom(mesh.one, 1).assertProblem(503, "owner-unavailable"));
        assertThat(callFrom(mesh.one, 1).header("Retry-After")).isPresent();
        Guest late = mesh.guest(team, room, "late", mesh.two);
        hearts.add(Heart.of(crew, late.member(), mesh.two, PACE));
        streams.add(late.stream());
        Awaiting.holds(Duration.ofSeconds(10), "all streams stay open", this::isEverybodyOpen);
        assertThat(mesh.badge(team).draft(mesh.one, "new").status()).isEqualTo(503);
        assertThat(mesh.nodes()).allMatch(Node::isReady);
        Api nobody = Api.anonymous(mesh.one).atRoot();
        assertThat(nobody.get("/health/live").status()).isEqualTo(200);
        assertThat(nobody.get("/health/ready").text())
                .contains("\"service\":\"degraded\"", "\"degraded\":\"redis, lease\"");
        mesh.operator(mesh.one).get("/admin/nodes").assertProblem(503, "unavailable");

        mesh.startRedis();

        connected.add(late.session());
        assertRecovered(MeshCluster.CONVERGENCE.plus(MeshCluster.FIRST_LEASE));
    }

    /** A Redis that was replaced by an empty one told everybody that nobody was connected. */
    @Test
    void redis_replacedByAnEmptyOne_isToldAgainWhoIsConnected() {
        mesh.redis.restartEmpty();
        long lost = System.nanoTime();

        assertRecovered(MeshCluster.CONVERGENCE.plus(MeshCluster.FIRST_LEASE));
        assertNobodyDoubted();

        System.out.println("recovered after " + Duration.ofNanos(System.nanoTime() - lost));
    }

    /** One stalled store round trip during one disconnection dropped all the other clients of the node. */
    @Test
    void redis_pausedWhileOneLeaves_keepsTheOthers() {
        StreamClient leaver = streams.remove(0);
        Badge left = badges.remove(0);
        connected.remove(left.id());
        mesh.pauseRedis();
        leaver.goodbye();
        Awaiting.holds(Duration.ofMillis(3_500), "all others stay open", this::isEverybodyOpen);
        mesh.resumeRedis();

        assertRecovered(MeshCluster.CONVERGENCE);
        assertNobodyDoubted();
    }

    /**
     * One node alone cannot reach Redis: the others declare it dead, and it comes back as another. Its people are in doubt
     * until their next renewal, and nobody loses a connection.
     */
    @Test
    void redis_lostToOneNodeBeyondItsLease_costsThatNodesClientsNoConnection() {
        mesh.redisWire(mesh.three).cut();
        Awaiting.holds(MeshCluster.LEASE.plusSeconds(5), "all streams stay open", this::isEverybodyOpen);
        Awaiting.asserted(() -> assertThat(callFrom(mesh.one, 2).status()).isIn(404, 503));
        assertThat(callFrom(mesh.one, 1).status()).isEqualTo(200);
        assertThat(MeshCluster.invoke(
                                mesh.integrator(team, mesh.three), badges.get(1).id())
                        .status())
                .isIn(404, 503);
        assertFencedBeforeGreeted();

        mesh.redisWire(mesh.three).mend();

        assertRecovered(MeshCluster.CONVERGENCE);
    }

    /**
     * A participant came back to a node without a lease, which asks no other node; the node of its older connection had its
     * own, and went on answering calls through that one until it looked into the database.
     */
    private void assertFencedBeforeGreeted() {
        Guest first = mesh.guest(team, room, "moves", mesh.one);
        Guest second = mesh.guest(team, room, "moves", mesh.three);

        assertThat(first.stream().isClosed()).isTrue();
        assertThat(first.stream().awaitClose().code()).isEqualTo(4002);
        hearts.add(Heart.of(crew, second.member(), mesh.three, PACE));
        streams.add(second.stream());
        connected.add(second.session());
    }

    /** Calls the client with this number, which is on the node of this number. */
    private Answer callFrom(Node node, int client) {
        return MeshCluster.invoke(
                mesh.integrator(team, node), badges.get(client).id());
    }

    private void assertRecovered(Duration patience) {
        long start = System.nanoTime();
        mesh.awaitListed(patience, team, connected);
        System.out.println("listed again after " + Duration.ofNanos(System.nanoTime() - start));
        Awaiting.asserted(MeshCluster.FIRST_LEASE, () -> {
            for (int i = 0; i < badges.size(); i++) {
                assertThat(callFrom(mesh.node(i), i).status()).isEqualTo(200);
                assertThat(callFrom(mesh.node(i + 1), i).status()).isEqualTo(200);
            }
        });
        assertThat(isEverybodyOpen()).isTrue();
        assertThat(hearts).allSatisfy(heart -> {
            assertThat(heart.refusals()).isEmpty();
            assertThat(heart.unavailable()).isEmpty();
        });
        assertThat(Journal.legal(mesh.store, team).all())
                .noneMatch(told -> told.next().equals("absent"));
    }

    private void assertNobodyDoubted() {
        assertThat(Journal.read(mesh.store, team).types(room)).doesNotContain("participant.suspected");
    }

    private boolean isEverybodyOpen() {
        return streams.stream().noneMatch(StreamClient::isClosed);
    }
}
