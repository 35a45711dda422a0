package io.huddle.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.huddle.harness.Api;
import io.huddle.harness.Node;
import io.huddle.harness.Store;
import io.huddle.harness.StreamClient;
import io.huddle.harness.Tokens;
import jakarta.json.JsonObject;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The setting that seals the clients' secrets: missing, right, and another than before. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClientKeysSecretIT {
    private static final String KEYS = "/admin/clients/keys";
    private static final String RIGHT = "right".repeat(8);
    private static final String OTHER = "other".repeat(8);

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
        try (Node node = start("keys-right", Map.of("HUDDLE_KEYS_SECRET", RIGHT))) {
            secret = operator(node).post(KEYS, body).assertStatus(201).json().getString("secret");
            StreamClient.to(node).signed("c-badge", secret).connect().close();
        }
        try (Node node = start("keys-other", Map.of("HUDDLE_KEYS_SECRET", OTHER))) {
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
        }
    }

    private Node start(String name, Map<String, String> settings) {
        return Node.start(name, Store.h2(folder).env(), Tokens.env(), settings).awaitReady();
    }

    private static Api operator(Node node) {
        return Api.of(node, Tokens.operator("on-call")).with("Huddle-Reason", "a new badge");
    }

    private static void refused(Node node, String client, String secret) {
        assertThatExceptionOfType(StreamClient.Refused.class)
                .isThrownBy(() -> StreamClient.to(node).signed(client, secret).open())
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(403));
    }
}
