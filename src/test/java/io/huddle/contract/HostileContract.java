package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.RawStream;
import io.huddle.harness.Store;
import io.huddle.harness.StreamClient;
import io.huddle.harness.Tokens;
import io.huddle.wire.CanonicalHandshake;
import io.huddle.wire.UEchoRequest;
import io.huddle.wire.UEchoResponse;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * What the tests of hostile clients share: one node on H2 with small limits, and somebody well-behaved on another stream,
 * who must notice nothing of what the tests do.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class HostileContract {
    static final int MESSAGE_BYTES = 65_536;
    static final int BUFFER_BYTES = 262_144;
    static final int HANDSHAKES = 32;
    static final String JSON = "huddle.json.v1";
    static final String PROTOBUF = "huddle.protobuf.v1";

    /** A client with its secret. */
    record Key(String client, String secret) {}

    final String team = "team-" + unique();
    final List<AutoCloseable> open = new ArrayList<>();
    private Bystander bystander = new Bystander(null, "", "");

    private record Bystander(
            @org.jspecify.annotations.Nullable StreamClient stream, String room, String participant) {}

    /** One node for all classes: a start takes many seconds. */
    private static final class Shared {
        static final Node NODE = launch("hostile", Map.of()).awaitReady();
    }

    static Node launch(String name, Map<String, String> more) {
        Path folder = Path.of(System.getProperty("huddle.nodes", "target/nodes"), name, "data");
        return Node.start(name, Store.h2(folder).env(), Tokens.env(), settings(), more);
    }

    static Map<String, String> settings() {
        return Map.ofEntries(
                Map.entry("HUDDLE_KEYS_SECRET", "seals the clients' secrets in the tests"),
                Map.entry("LOG_FORMAT", "json"),
                Map.entry("HUDDLE_LIMITS_REQUESTS_PER_SECOND", "100000"),
                Map.entry("HUDDLE_LIMITS_REQUEST_BURST", "1000000"),
                Map.entry("HUDDLE_STREAM_MESSAGE_BYTES", Integer.toString(MESSAGE_BYTES)),
                Map.entry("HUDDLE_STREAM_BUFFER_BYTES", Integer.toString(BUFFER_BYTES)),
                Map.entry("HUDDLE_STREAM_UNCLAIMED_BYTES", "32768"),
                Map.entry("HUDDLE_STREAM_PENDING_HANDSHAKES", Integer.toString(HANDSHAKES)),
                Map.entry("HUDDLE_STREAM_SEND_TIMEOUT_SECONDS", "3"),
                Map.entry("HUDDLE_SIGNAL_ACK_MS", "5000"));
    }

    Node node() {
        return Shared.NODE;
    }

    @BeforeEach
    void letSomebodyIn() {
        Api api = integrator();
        String room = openRoom();
        Answer joined = api.joinAs(room, "bystander").assertStatus(201);
        bystander = new Bystander(keep(StreamClient.to(node(), joined).connect()), room, "bystander");
    }

    /** Whatever a test did: the other client's stream lives and answers, its session is present, nothing counts below zero. */
    @AfterEach
    void othersNoticedNothing() throws Exception {
        try {
            assertOthersFine();
            assertThat(node().log()
                            .lines()
                            .filter(line -> line.contains("\"module\":\"io.huddle."))
                            .filter(line -> line.contains("\"loglevel\":\"SEVERE\"")))
                    .isEmpty();
            assertThat(metrics().samples())
                    .filteredOn(sample -> sample.name().contains("stream"))
                    .allSatisfy(sample ->
                            assertThat(sample.value()).as("%s", sample).isNotNegative());
        } finally {
            for (AutoCloseable one : open) {
                one.close();
            }
        }
    }

    void assertOthersFine() {
        StreamClient stream = bystander.stream();
        assertThat(stream).isNotNull();
        if (stream != null) {
            long before = System.nanoTime();
            assertThat(echo(stream, "still here")).isEqualTo("still here");
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - before))
                    .as("seconds until the other client was answered")
                    .isLessThan(3);
            assertThat(stream.isClosed()).isFalse();
        }
        assertThat(states(bystander.room())).contains("bystander:present");
    }

    <T extends AutoCloseable> T keep(T one) {
        open.add(one);
        return one;
    }

    static String unique() {
        return UUID.randomUUID().toString().substring(0, 13);
    }

    Api integrator() {
        return Api.of(node(), Tokens.integrator("ehr-server", team));
    }

    Api operator() {
        return Api.of(node(), Tokens.operator("on-call")).with("Huddle-Reason", "a test");
    }

    String openRoom() {
        return openRoom(integrator(), team);
    }

    static String openRoom(Api api, String ofTeam) {
        return api.createRoom(
                        unique(),
                        Api.json()
                                .add("team", ofTeam)
                                .add("occurrence", unique())
                                .add(
                                        "policy",
                                        Api.json()
                                                .add("heartbeatSeconds", 20)
                                                .add("leaseSeconds", 60)
                                                .add("suspendedLeaseSeconds", 300)
                                                .add("maxParticipants", 200)))
                .assertStatus(201)
                .json()
                .getString("id");
    }

    Key key(String role) {
        return key(role, team);
    }

    Key key(String role, String ofTeam) {
        String client = "c-" + unique();
        JsonObject body = Json.createObjectBuilder()
                .add("client", client)
                .add("roles", Json.createArrayBuilder().add(role))
                .add("teams", Json.createArrayBuilder().add(ofTeam))
                .build();
        return new Key(
                client,
                operator()
                        .post("/admin/clients/keys", body)
                        .assertStatus(201)
                        .json()
                        .getString("secret"));
    }

    StreamClient.Draft signed(Key key) {
        return StreamClient.to(node()).signed(key.client(), key.secret());
    }

    /** Who is in the room, as {@code participant:state}. */
    List<String> states(String room) {
        return Api.of(node(), Tokens.operator("on-call"))
                .roster(room)
                .assertStatus(200)
                .json()
                .getJsonArray("entries")
                .getValuesAs(JsonObject.class)
                .stream()
                .map(entry -> entry.getString("participant") + ":" + entry.getString("state"))
                .toList();
    }

    static String echo(StreamClient stream, String message) {
        return stream.call(UEchoRequest.newBuilder().setMessage(message).build(), UEchoResponse.class)
                .getMessage();
    }

    /** A participant of a room of its own with a raw connection, connected. */
    RawStream raw(String subprotocol) {
        return raw(subprotocol, 0);
    }

    RawStream raw(String subprotocol, int receiveBuffer) {
        return keep(
                RawStream.connected(node().port(), query(openRoom(), "raw-" + unique()), subprotocol, receiveBuffer));
    }

    /** The query with which somebody who joins now may open a stream. */
    String query(String room, String participant) {
        return "pv=4&ticket=" + StreamClient.ticket(integrator().joinAs(room, participant));
    }

    /** The query with which a key's client opens a stream, once. */
    static String signedQuery(Key key, int protocol) {
        String ts = Long.toString(Instant.now().toEpochMilli());
        String nonce = UUID.randomUUID().toString();
        String id = unique();
        String signature = new CanonicalHandshake(
                        "/stream",
                        "/stream",
                        "",
                        ts,
                        nonce,
                        id,
                        key.client(),
                        Integer.toString(protocol),
                        false,
                        "",
                        Map.of())
                .signature(key.secret());
        return "pv=" + protocol + "&appv=&ts=" + ts + "&nonce=" + nonce + "&id=" + id + "&aud=/stream&cid="
                + key.client() + "&signature=" + signature;
    }

    Metrics metrics() {
        return Metrics.of(node());
    }

    double hits(String limit) {
        return metrics().value("huddle_stream_limit_hits_total", "limit", limit);
    }

    double closes(String cause) {
        return metrics().value("huddle_stream_closes_total", "cause", cause);
    }

    double streams() {
        return metrics().value("huddle_streams");
    }

    void awaitStreams(double expected) {
        Awaiting.until("streams on the node: " + expected, () -> streams() == expected);
    }
}
