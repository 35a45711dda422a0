package io.huddle.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.Store;
import io.huddle.harness.StreamClient;
import io.huddle.harness.Tokens;
import io.huddle.wire.CanonicalHandshake;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the settings of handshakes change: the one that seals the clients' secrets missing, right, and another than before;
 * the old protocols, the audience, and the servers for media.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HandshakeSettingsIT {
    private static final String KEYS = "/admin/clients/keys";
    private static final String RIGHT = "right".repeat(8);
    private static final String OTHER = "other".repeat(8);

    private static final Map<String, String> OPEN = Map.of(
            "HUDDLE_KEYS_SECRET", RIGHT,
            "HUDDLE_STREAM_LEGACY_PROTOCOLS", "true",
            "HUDDLE_STREAM_AUDIENCE", "https://huddle.example",
            "HUDDLE_PUBLIC_URL", "https://huddle.example/calls",
            "HUDDLE_ICE_STUN_URLS", "stun:stun.example",
            "HUDDLE_ICE_TURN_URLS", "turn:turn.example",
            "HUDDLE_ICE_TURN_SECRET", "north");

    @TempDir
    private Path folder;

    @Test
    void setting_missingThenRightThenAnother_decidesWhatIsOpened() {
        JsonObject body = Api.json().add("client", "c-badge").build();
        try (Node node = start("keys-missing", Map.of())) {
            operator(node).post(KEYS, body).assertProblem(409, "client-keys-disabled");
            refused(node, "c-badge", "any secret");
        }
        String secret;
        try (Node node = start("keys-right", OPEN)) {
            secret = operator(node).post(KEYS, body).assertStatus(201).json().getString("secret");
            StreamClient.to(node).signed("c-badge", secret).connect().close();
            oldProtocolsAreSpoken(node, secret);
            audienceIsThePathOrTheSetting(node, secret);
            joinTellsThePublicAddressAndTheServers(node);
        }
        try (Node node = start("keys-other", Map.of("HUDDLE_KEYS_SECRET", OTHER, "HUDDLE_STREAM_STREAMS", "2"))) {
            refused(node, "c-badge", secret);
            refused(node, "c-badge", secret);
            assertThat(node.log().lines().filter(line -> line.contains("cannot be opened")))
                    .as("told once")
                    .singleElement()
                    .asString()
                    .contains("c-badge", "huddle.keys.secret", "client's");
            String next = operator(node)
                    .post(KEYS + "/c-badge/rotate")
                    .assertStatus(200)
                    .json()
                    .getString("secret");
            StreamClient.to(node).signed("c-badge", next).connect().close();
            assertThat(node.log()).doesNotContain(secret, next, OTHER, RIGHT);
            streamsAreAsManyAsTheNodeTakes(node);
        }
    }

    /** The ticket of who found no place is not used up. */
    private static void streamsAreAsManyAsTheNodeTakes(Node node) {
        Api anybody = Api.of(node, Tokens.integrator("desk", "ward-8"));
        String room = anybody.createRoom("ward-8", "standup", "key")
                .assertStatus(201)
                .json()
                .getString("id");
        Answer late = anybody.joinAs(room, "cleo");
        try (StreamClient ada =
                        StreamClient.to(node, anybody.joinAs(room, "ada")).connect();
                StreamClient bob =
                        StreamClient.to(node, anybody.joinAs(room, "bob")).connect()) {
            assertThat(StreamClient.to(node, late).status()).isEqualTo(503);
            assertThat(ada.isClosed() || bob.isClosed()).isFalse();
        }
        Awaiting.until("a place", () -> StreamClient.to(node, late).status() == 101);
    }

    private static void oldProtocolsAreSpoken(Node node, String secret) {
        legacy(node, secret, "1", "st-1").connect().close();
        legacy(node, secret, "1", "st-1").connect().close();
        legacy(node, secret, "2", "st-2").with("supersede", "1").connect().close();
        refused(legacy(node, secret, "2", "st-2").with("supersede", "1"), 403);
        refused(legacy(node, "guess", "2", "st-3"), 403);
        legacy(node, secret, "2", "st-3").with("supersede", "1").connect().close();
    }

    private static StreamClient.Draft legacy(Node node, String secret, String protocol, String stream) {
        String now = Long.toString(Instant.now().toEpochMilli());
        return StreamClient.to(node)
                .with("pv", protocol)
                .with("appv", "1.0")
                .with("ts", now)
                .with("id", stream)
                .with("cid", "c-badge")
                .with("signature", CanonicalHandshake.legacySignature(secret, "1.0", now, stream, "c-badge"));
    }

    private static void audienceIsThePathOrTheSetting(Node node, String secret) {
        StreamClient.to(node)
                .signed("c-badge", secret)
                .with("supersede", "1")
                .with("aud", "https://huddle.example")
                .connect()
                .close();
        refused(StreamClient.to(node).signed("c-badge", secret).with("aud", "https://huddle.example/calls"), 403);
    }

    private static void joinTellsThePublicAddressAndTheServers(Node node) {
        Api ada = Api.of(node, Tokens.participant("ada", "ward-7"));
        String room = ada.createRoom("ward-7", "standup", "key")
                .assertStatus(201)
                .json()
                .getString("id");
        Answer joined = ada.join(room).assertStatus(201);
        assertThat(joined.json().getJsonObject("stream").getString("url"))
                .isEqualTo("wss://huddle.example/calls/stream");
        List<JsonObject> servers = joined.json().getJsonArray("iceServers").getValuesAs(JsonObject.class);
        assertThat(servers).hasSize(2);
        assertThat(servers.get(0))
                .isEqualTo(Api.json()
                        .add("urls", Json.createArrayBuilder().add("stun:stun.example"))
                        .build());
        long ends = Instant.parse(joined.json().getString("serverTime")).getEpochSecond() + 43_200;
        String username = ends + ":" + joined.json().getString("session");
        assertThat(servers.get(1).getString("username")).isEqualTo(username);
        assertThat(servers.get(1).getString("credential")).isEqualTo(IceServers.credential("north", username));
        StreamClient.to(node, joined)
                .header("Origin", "https://huddle.example")
                .connect()
                .close();
    }

    private Node start(String name, Map<String, String> settings) {
        return Node.start(name, Store.h2(folder).env(), Tokens.env(), settings).awaitReady();
    }

    private static Api operator(Node node) {
        return Api.of(node, Tokens.operator("on-call")).with("Huddle-Reason", "a new badge");
    }

    private static void refused(Node node, String client, String secret) {
        refused(StreamClient.to(node).signed(client, secret), 403);
    }

    private static void refused(StreamClient.Draft draft, int status) {
        assertThatExceptionOfType(StreamClient.Refused.class)
                .isThrownBy(draft::open)
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(status));
    }
}
