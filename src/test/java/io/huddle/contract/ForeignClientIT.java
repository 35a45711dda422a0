package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import io.huddle.harness.JavaScript;
import io.huddle.harness.Node;
import io.huddle.harness.Store;
import io.huddle.harness.Tokens;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client that was written in another language from {@code stream-protocol.md} alone, against a node: who has only the
 * page can talk to Huddle.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ForeignClientIT {
    private static final String NAME = "foreign-h2";

    /** One for each stream that a test opens, so that no test waits for the end of another's. */
    private static final List<String> KEYS = List.of(
            "one4false",
            "one3false",
            "one4true",
            "metadata",
            "bytes",
            "bytesJson",
            "unclaimed",
            "callee",
            "caller",
            "receipted",
            "silent",
            "third",
            "impatient",
            "duplicate",
            "supersede",
            "refused",
            "stuck",
            "offender");

    private final String team = "team-" + UUID.randomUUID();

    @Test
    void clientFromThePageAlone_againstANode_isServedAndRefusedAsThePageSays() {
        JavaScript.skipWithoutNode();
        Path data = Path.of(System.getProperty("huddle.nodes", "target/nodes"), NAME, "data");
        try (Node node = Node.start(
                NAME,
                Store.h2(data).env(),
                Tokens.env(),
                Map.of("HUDDLE_KEYS_SECRET", UUID.randomUUID().toString(), "LOG_FORMAT", "json"))) {
            node.awaitReady();
            String printed = JavaScript.test(
                    Duration.ofMinutes(3),
                    Map.of(
                            "HUDDLE_URL", node.uri("").toString(),
                            "HUDDLE_TEAM", team,
                            "HUDDLE_TOKENS", tokens(),
                            "HUDDLE_KEYS", keys(node)),
                    List.of("foreign/against-node.mjs"));
            assertThat(printed).contains("# fail 0").containsPattern("# pass 1[0-9]");
            assertThat(node.log().lines().filter(line -> line.contains("\"loglevel\":\"SEVERE\"")))
                    .isEmpty();
        }
    }

    private String tokens() {
        JsonArrayBuilder tokens = Json.createArrayBuilder();
        for (int i = 0; i < 2; i++) {
            tokens.add(Tokens.participant("participant-" + UUID.randomUUID(), team));
        }
        return tokens.build().toString();
    }

    private String keys(Node node) {
        Api operator = Api.of(node, Tokens.operator("operator")).with("Huddle-Reason", "a test of clients");
        JsonObjectBuilder keys = Json.createObjectBuilder().add("plain", key(operator, "participant"));
        for (String name : KEYS) {
            keys.add(name, key(operator, "integrator"));
        }
        return keys.build().toString();
    }

    private JsonObject key(Api operator, String role) {
        JsonObject wanted = Json.createObjectBuilder()
                .add("roles", Json.createArrayBuilder().add(role))
                .add("teams", Json.createArrayBuilder().add(team))
                .build();
        JsonObject made =
                operator.post("/admin/clients/keys", wanted).assertStatus(201).json();
        return Json.createObjectBuilder()
                .add("client", made.getString("client"))
                .add("secret", made.getString("secret"))
                .build();
    }
}
