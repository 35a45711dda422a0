package io.huddle.soak;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Node;
import io.huddle.harness.Ports;
import io.huddle.harness.Postgres;
import io.huddle.harness.Redis;
import io.huddle.harness.Store;
import io.huddle.harness.TcpProxy;
import io.huddle.harness.Tokens;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

/** Three nodes on one Redis and one PostgreSQL, each with wires of its own that can fail. */
final class Place implements AutoCloseable {
    static final String TEAM = "soak";
    private static final int NODES = 3;

    /** As in production, but for the limits: all calls come from one subject. */
    private static final Map<String, String> SETTINGS = Map.of(
            "JVM_ARGS", "",
            "HUDDLE_LIMITS_REQUESTS_PER_SECOND", "100000",
            "HUDDLE_LIMITS_REQUEST_BURST", "1000000",
            "HUDDLE_LIMITS_RENEWALS_PER_SECOND", "1000",
            "HUDDLE_LIMITS_RENEWAL_BURST", "10000",
            "HUDDLE_ROOM_MAX_PARTICIPANTS", "200",
            "HUDDLE_KEYS_SECRET", UUID.randomUUID().toString(),
            "HUDDLE_MESH_SECRET", UUID.randomUUID() + "" + UUID.randomUUID());

    final Redis redis = Redis.create();
    final Store store = Store.postgres(Postgres.shared().createDatabase());
    final List<Node> nodes = new ArrayList<>();
    private final List<TcpProxy> redisWires = new ArrayList<>();
    private final List<TcpProxy> linkWires = new ArrayList<>();
    private final String integrator = Tokens.integrator("soak", TEAM);
    private final String operator = Tokens.operator("soak");

    /** Starts them one after the other: the first makes the tables. */
    Place() {
        for (int i = 0; i < NODES; i++) {
            int port = Ports.free();
            TcpProxy toRedis = TcpProxy.to(redis.port());
            TcpProxy toLink = TcpProxy.to(port);
            redisWires.add(toRedis);
            linkWires.add(toLink);
            nodes.add(Node.start(
                            "soak-" + (i + 1),
                            port,
                            Tokens.env(),
                            store.env(),
                            SETTINGS,
                            Map.of(
                                    "HUDDLE_REDIS_URL", "redis://127.0.0.1:" + toRedis.port(),
                                    "HUDDLE_MESH_URL", "ws://localhost:" + toLink.port() + "/mesh"))
                    .awaitReady());
        }
    }

    Node any(Random random) {
        return nodes.get(random.nextInt(NODES));
    }

    TcpProxy redisWire(int node) {
        return redisWires.get(node);
    }

    /** What lies before this node's link; those that it opened itself pass the others' wires. */
    TcpProxy linkWire(int node) {
        return linkWires.get(node);
    }

    Api integrator(Node node) {
        return Api.of(node, integrator);
    }

    Api operator(Node node) {
        return Api.of(node, operator).with("Huddle-Reason", "a soak");
    }

    String room() {
        return room("soak", 30, 120);
    }

    String room(String occurrence, int heartbeatSeconds, int leaseSeconds) {
        return integrator(nodes.get(0))
                .createRoom(
                        occurrence + "-room",
                        Api.json()
                                .add("team", TEAM)
                                .add("occurrence", occurrence)
                                .add(
                                        "policy",
                                        Api.json()
                                                .add("heartbeatSeconds", heartbeatSeconds)
                                                .add("leaseSeconds", leaseSeconds)
                                                .add("maxParticipants", 200)))
                .assertStatus(201)
                .json()
                .getString("id");
    }

    /** The live nodes, as this one tells of them. */
    List<JsonObject> listedNodes(Node node) {
        return operator(node)
                .get("/admin/nodes")
                .assertStatus(200)
                .json()
                .getJsonArray("items")
                .getValuesAs(JsonObject.class);
    }

    /** All that a node lists, as client and node; a client that is listed twice has both nodes. */
    Map<String, String> listed(Node node) {
        Map<String, String> found = new TreeMap<>();
        String cursor = "";
        do {
            Answer answer = operator(node).get("/clients?limit=200" + cursor).assertStatus(200);
            JsonObject page = answer.json();
            for (JsonObject item : page.getJsonArray("items").getValuesAs(JsonObject.class)) {
                found.merge(item.getString("client"), item.getString("node"), (one, other) -> one + " and " + other);
            }
            cursor = page.containsKey("next") ? "&cursor=" + page.getString("next") : "";
        } while (!cursor.isEmpty());
        return found;
    }

    /** The sum of a metric over its labels. */
    double metric(Node node, String name) {
        return Api.anonymous(node)
                .atRoot()
                .with("Accept", "text/plain")
                .get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
        redisWires.forEach(TcpProxy::close);
        linkWires.forEach(TcpProxy::close);
        redis.close();
    }
}
