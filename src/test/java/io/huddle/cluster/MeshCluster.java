package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.Ports;
import io.huddle.harness.Postgres;
import io.huddle.harness.Redis;
import io.huddle.harness.Store;
import io.huddle.harness.StreamClient;
import io.huddle.harness.TcpProxy;
import io.huddle.harness.Tokens;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Three nodes on one database and one Redis, linked with each other, started once for all classes that ask for it. Each node
 * reaches Redis, and the others each node, through a wire of its own that can fail.
 */
final class MeshCluster {
    /** A node that has not renewed for so long may be declared dead. */
    static final Duration LEASE = Duration.ofSeconds(9);

    /** From a node's death to the last that is told of it. */
    static final Duration ORPHANED = LEASE.plusSeconds(3);

    /** From the end of an outage of Redis until the registry says what is true. */
    static final Duration CONVERGENCE = Duration.ofSeconds(10);

    /** A new registry's first lease, in which nobody delivers. */
    static final Duration FIRST_LEASE = LEASE.plusSeconds(1);

    private static final Map<String, String> SETTINGS = Map.of(
            "HUDDLE_LIMITS_REQUESTS_PER_SECOND", "100000",
            "HUDDLE_LIMITS_REQUEST_BURST", "1000000",
            "HUDDLE_LIMITS_RENEWALS_PER_SECOND", "1000",
            "HUDDLE_LIMITS_RENEWAL_BURST", "10000",
            "HUDDLE_KEYS_SECRET", "seals the clients' secrets in the tests",
            "HUDDLE_MESH_SECRET", "what the nodes of the tests know of each other");

    /** Between two attempts of a client that was told to try again. */
    private static final Duration BACKOFF = Duration.ofMillis(500);

    private static final Duration HEALING = Duration.ofSeconds(60);
    private static final AtomicInteger TEAMS = new AtomicInteger();

    final Redis redis = Redis.create();
    final Store store = Store.postgres(Postgres.shared().createDatabase());
    final Node one;
    final Node two;
    final Node three;

    private final Map<String, TcpProxy> redisWires = new TreeMap<>();
    private final Map<String, TcpProxy> linkWires = new TreeMap<>();
    private final Set<Node> paused = new HashSet<>();
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();
    private final List<Badge> probes = new ArrayList<>();
    private boolean isRedisStopped;
    private boolean isRedisPaused;

    private MeshCluster() {
        one = start("mesh-1");
        two = start("mesh-2");
        three = start("mesh-3");
    }

    private Node start(String name) {
        int port = Ports.free();
        TcpProxy toRedis = TcpProxy.to(redis.port());
        TcpProxy toLink = TcpProxy.to(port);
        redisWires.put(name, toRedis);
        linkWires.put(name, toLink);
        return Node.start(
                name,
                port,
                Tokens.env(),
                store.env(),
                SETTINGS,
                Map.of(
                        "HUDDLE_REDIS_URL", "redis://127.0.0.1:" + toRedis.port(),
                        "HUDDLE_MESH_URL", "ws://localhost:" + toLink.port() + "/mesh"));
    }

    /** The three nodes, all of which reach the clients of all, whatever the test before did to them. */
    static MeshCluster healed() {
        Shared.MESH.heal();
        return Shared.MESH;
    }

    /** Brings everything back, and ends the streams that earlier tests left. */
    void heal() {
        open.forEach(MeshCluster::closeQuietly);
        open.clear();
        resumeRedis();
        startRedis();
        redisWires.values().forEach(TcpProxy::mend);
        linkWires.values().forEach(TcpProxy::mend);
        for (Node node : nodes()) {
            resume(node);
            if (!node.isAlive()) {
                node.restart();
            }
        }
        nodes().forEach(Node::awaitReady);
        awaitReach();
    }

    /** A client on each node is reached from each: registry, links and leases are well. */
    private void awaitReach() {
        if (probes.isEmpty()) {
            nodes().forEach(node -> probes.add(badge("team-probe")));
        }
        List<StreamClient> streams = new ArrayList<>();
        for (int i = 0; i < probes.size(); i++) {
            Badge probe = probes.get(i);
            Node node = nodes().get(i);
            streams.add(Awaiting.value(
                    HEALING,
                    "a probe on " + node.name(),
                    () -> tried(() -> probe.takeOver(node, "probe")),
                    stream -> stream != null));
        }
        for (Node from : nodes()) {
            for (Badge probe : probes) {
                Awaiting.value(
                        HEALING,
                        "a client reached from " + from.name(),
                        () -> invoke(integrator("team-probe", from), probe.id()),
                        answer -> answer.status() == 200);
            }
        }
        streams.forEach(StreamClient::close);
    }

    private static @Nullable StreamClient tried(Supplier<StreamClient> connecting) {
        try {
            return connecting.get();
        } catch (RuntimeException | AssertionError notYet) {
            return null;
        }
    }

    List<Node> nodes() {
        return List.of(one, two, three);
    }

    Node node(int which) {
        return nodes().get(Math.floorMod(which, 3));
    }

    /** What lies between this node and Redis. */
    TcpProxy redisWire(Node node) {
        return wire(redisWires, node);
    }

    /** What lies between the other nodes and the link of this one. Links that this one opened do not pass it. */
    TcpProxy linkWire(Node node) {
        return wire(linkWires, node);
    }

    private static TcpProxy wire(Map<String, TcpProxy> wires, Node node) {
        TcpProxy wire = wires.get(node.name());
        if (wire == null) {
            throw new IllegalArgumentException(node.name());
        }
        return wire;
    }

    /** Ends every link between nodes, and lets none be made. */
    void cutLinks() {
        linkWires.values().forEach(TcpProxy::cut);
    }

    void mendLinks() {
        linkWires.values().forEach(TcpProxy::mend);
    }

    /** SIGSTOP, which the next test's {@link #heal} undoes if this one does not. */
    void pause(Node node) {
        paused.add(node);
        node.pause();
    }

    void resume(Node node) {
        if (paused.remove(node) && node.isAlive()) {
            node.resume();
        }
    }

    /** Ends Redis in order: it keeps its data for {@link #startRedis}. */
    void stopRedis() {
        redis.stop();
        isRedisStopped = true;
    }

    void startRedis() {
        if (isRedisStopped) {
            isRedisStopped = false;
            redis.start();
        }
    }

    void pauseRedis() {
        isRedisPaused = true;
        redis.pause();
    }

    void resumeRedis() {
        if (isRedisPaused) {
            isRedisPaused = false;
            redis.resume();
        }
    }

    /** A team that no other test uses. */
    String team() {
        return "mesh-team-" + TEAMS.incrementAndGet();
    }

    /** Whoever may do everything to every participant and client of the team. */
    Api integrator(String team, Node node) {
        return Api.of(node, Tokens.integrator("integrator-" + team, team));
    }

    Api operator(Node node) {
        return Api.of(node, Tokens.operator("on-call")).with("Huddle-Reason", "a test");
    }

    /** A room with this pace. */
    String room(String team, int heartbeatSeconds, int leaseSeconds) {
        JsonObjectBuilder policy = Api.json()
                .add("heartbeatSeconds", heartbeatSeconds)
                .add("leaseSeconds", leaseSeconds)
                .add("suspendedLeaseSeconds", 300)
                .add("maxParticipants", 200);
        String occurrence = Cluster.id('o', new SecureRandom());
        return integrator(team, one)
                .createRoom(
                        occurrence,
                        Api.json()
                                .add("team", team)
                                .add("occurrence", occurrence)
                                .add("policy", policy))
                .assertStatus(201)
                .json()
                .getString("id");
    }

    /** A participant with the stream of its newest generation. */
    record Guest(Member member, StreamClient stream) {
        String session() {
            return member.session();
        }
    }

    /** Joins by this node, or joins again, and opens the stream there. */
    Guest guest(String team, String room, String participant, Node node) {
        Api api = integrator(team, node);
        Answer joined = api.joinAs(room, participant);
        Member member = Member.of(api, joined);
        return new Guest(member, keep(StreamClient.to(node, joined).connect()));
    }

    /** The same as a page does it whose stream is refused as long as its last node is not proven dead: joins again. */
    Guest guestInTime(Duration patience, String team, String room, String participant, Node node) {
        return again(patience, participant + " on " + node.name(), () -> admitted(team, room, participant, node));
    }

    /** Tries until something comes of it, with the pauses that clients make. */
    private static <T> T again(Duration patience, String what, Supplier<@Nullable T> attempt) {
        AtomicLong next = new AtomicLong(System.nanoTime());
        T result = Awaiting.<@Nullable T>value(
                patience,
                what,
                () -> {
                    if (System.nanoTime() - next.get() < 0) {
                        return null;
                    }
                    T made = attempt.get();
                    next.set(System.nanoTime() + BACKOFF.toNanos());
                    return made;
                },
                made -> made != null);
        return Objects.requireNonNull(result);
    }

    private @Nullable Guest admitted(String team, String room, String participant, Node node) {
        Api api = integrator(team, node);
        Answer joined = api.joinAs(room, participant);
        StreamClient stream = keep(StreamClient.to(node, joined).open());
        return isAdmitted(stream) ? new Guest(Member.of(api, joined), stream) : null;
    }

    /** Waits for the outcome of a connection; one that is not admitted must be told to try again. */
    private static boolean isAdmitted(StreamClient stream) {
        Awaiting.until("connected or refused", () -> stream.isClosed() || stream.pings() >= 2);
        if (stream.isClosed()) {
            assertThat(stream.awaitClose().code()).as("%s", stream.awaitClose()).isEqualTo(1013);
        }
        return !stream.isClosed();
    }

    /** A client with a key, which connects where it likes and tells its callers by which connection they reached it. */
    final class Badge {
        private final String id;
        private final String secret;

        private Badge(String id, String secret) {
            this.id = id;
            this.secret = secret;
        }

        String id() {
            return id;
        }

        String secret() {
            return secret;
        }

        /** A connection that is not made yet, and answers calls with its label. */
        StreamClient.Draft draft(Node node, String label) {
            return StreamClient.to(node)
                    .signed(id, secret)
                    .answer(
                            DCallRequest.class,
                            call -> DCallResponse.newBuilder()
                                    .setData(Json.createValue(label).toString())
                                    .build());
        }

        StreamClient connect(Node node, String label) {
            return keep(draft(node, label).connect());
        }

        StreamClient takeOver(Node node, String label) {
            return keep(draft(node, label).with("supersede", "1").connect());
        }

        /** The same, again and again as long as the node answers "try again". */
        StreamClient takeOverInTime(Duration patience, Node node, String label) {
            return again(patience, id + " on " + node.name(), () -> admitted(node, label));
        }

        private @Nullable StreamClient admitted(Node node, String label) {
            StreamClient stream = keep(draft(node, label).with("supersede", "1").open());
            return isAdmitted(stream) ? stream : null;
        }
    }

    /** A client that may be called, and see nothing. */
    Badge badge(String team) {
        return badge(team, "participant");
    }

    Badge badge(String team, String role) {
        String id = Cluster.id('c', new SecureRandom());
        JsonObject key = Api.json()
                .add("client", id)
                .add("roles", Json.createArrayBuilder().add(role))
                .add("teams", Json.createArrayBuilder().add(team))
                .build();
        return new Badge(
                id,
                operator(aLivingNode())
                        .post("/admin/clients/keys", key)
                        .assertStatus(201)
                        .json()
                        .getString("secret"));
    }

    private Node aLivingNode() {
        return nodes().stream()
                .filter(node -> node.isAlive() && !paused.contains(node))
                .findFirst()
                .orElseThrow();
    }

    <T extends AutoCloseable> T keep(T closed) {
        open.add(closed);
        return closed;
    }

    /** Calls a client by REST; the answer's data is the connection's label. */
    static Answer invoke(Api api, String client) {
        return api.post("/clients/" + client + "/invoke", call(10_000));
    }

    static CompletableFuture<Answer> invokeLater(Api api, String client) {
        return api.later("POST", "/clients/" + client + "/invoke", call(10_000));
    }

    static JsonObject call(int timeoutMs) {
        return Api.json()
                .add("type", "where")
                .add("data", 1)
                .add("timeoutMs", timeoutMs)
                .build();
    }

    /** The label by which the client answers a call from here. */
    static String label(Api api, String client) {
        return invoke(api, client).assertStatus(200).json().getString("data");
    }

    /** All that are listed, as client and node. */
    static Map<String, String> listed(Api api, String query) {
        Map<String, String> found = new TreeMap<>();
        String cursor = "";
        do {
            JsonObject page = api.get("/clients?limit=200" + query + cursor)
                    .assertStatus(200)
                    .json();
            for (JsonObject item : page.getJsonArray("items").getValuesAs(JsonObject.class)) {
                assertThat(found.put(item.getString("client"), item.getString("node")))
                        .as("listed twice: %s", item)
                        .isNull();
            }
            cursor = page.containsKey("next") ? "&cursor=" + page.getString("next") : "";
        } while (!cursor.isEmpty());
        return found;
    }

    /** Waits until every node that runs lists exactly these of the team. */
    void awaitListed(Duration patience, String team, Set<String> clients) {
        Awaiting.asserted(patience, () -> {
            for (Node node : nodes()) {
                if (node.isAlive() && !paused.contains(node)) {
                    assertThat(listed(integrator(team, node), "").keySet())
                            .as("clients of %s as %s sees them", team, node.name())
                            .isEqualTo(clients);
                }
            }
        });
    }

    /** The number of the node this client is connected to. */
    String nodeOf(String client) {
        return operator(aLivingNode())
                .get("/clients/" + client)
                .assertStatus(200)
                .json()
                .getString("node");
    }

    private static void closeQuietly(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception already) {
            System.out.println("closing what a test left: " + already);
        }
    }

    private static final class Shared {
        static final MeshCluster MESH = new MeshCluster();
    }
}
