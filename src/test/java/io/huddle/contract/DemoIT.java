package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.Store;
import io.huddle.harness.Tokens;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo: sign-in for whoever sits at this machine, and for nobody else. Nodes of its own, with other settings. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class DemoIT {
    private static final String ORIGIN = "https://ehr.example";

    @SuppressWarnings("NullAway.Init")
    private static Node demo;

    @BeforeAll
    static void start() {
        Site.stopAll();
        demo = node("contract-demo", Map.of("HUDDLE_ORIGINS", ORIGIN)).awaitReady();
    }

    @AfterAll
    static void stop() {
        demo.close();
    }

    @Test
    void token_ofTheDemo_signsIn() {
        String token = signIn("ada", "participant", "ward-7");
        Api ada = Api.of(demo, token);

        Answer created = ada.createRoom("ward-7", "standup", "k");

        assertThat(created.assertStatus(201).json().getString("createdBy")).isEqualTo("ada");
        ada.createRoom("ward-8", "standup", "k").assertProblem(403, "forbidden");
    }

    @Test
    void tokenOfAnotherIssuer_isNotAcceptedInTheDemo() {
        Api.of(demo, Tokens.participant("ada", "ward-7")).get("/rooms").assertProblem(401, "unauthenticated");
        Api.of(
                        demo,
                        Tokens.of("ada")
                                .groups("operator")
                                .issuer("huddle-demo")
                                .audience("huddle-demo")
                                .signed())
                .get("/rooms")
                .assertProblem(401, "unauthenticated");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"subject\":\"ada@example.org\"}",
                "{\"subject\":\"ada lovelace\"}",
                "{\"subject\":\"ada\",\"groups\":\"operator\"}",
                "{\"subject\":\"ada\",\"teams\":[7]}",
                "{\"subject\":\"ada\",\"admin\":true}",
                "["
            })
    void signIn_ofABadBody_isInvalid(String body) {
        Api.anonymous(demo)
                .send("POST", "/demo/token", "application/json", body.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .assertProblem(400, "invalid-request");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "evil.example:9080",
                "127.0.0.2",
                "0.0.0.0",
                "localhost@evil.example",
                "192.168.0.7"
            })
    void foreignHost_isRefusedEverywhere(String host) {
        // A page of a stranger's site that has its name point to this machine would otherwise sign in as anybody.
        Api stranger = Api.anonymous(demo).with("Host", host);
        JsonObject body = Api.json().add("subject", "eve").build();

        for (Answer answer : new Answer[] {
            stranger.post("/demo/token", body),
            stranger.get("/rooms"),
            stranger.atRoot().get("/"),
            stranger.as(signIn("ada", "participant", "ward-7")).get("/rooms")
        }) {
            assertThat(answer.status()).as("%s: %s", host, answer).isIn(400, 403);
            answer.assertNoLeak();
            assertThat(answer.text()).doesNotContain("token\"");
        }
        if (host.matches("[a-z.]+")) {
            stranger.get("/rooms").assertProblem(403, "forbidden");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LocalHost", "127.0.0.1", "[::1]", "localhost:1234"})
    void loopbackName_isServed(String host) {
        Api.of(demo, signIn("ada", "participant", "ward-7"))
                .with("Host", host)
                .get("/rooms")
                .assertStatus(200);
    }

    /** Such a client once waited for ever for a page, and its second call was refused for want of a Host. */
    @Test
    void client_thatAsksForHttp2_isServed() throws IOException, InterruptedException {
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
        for (String path : List.of("/", "/", "/openapi", "/openapi")) {
            HttpRequest request = HttpRequest.newBuilder(demo.uri(path))
                    .timeout(Duration.ofSeconds(20))
                    .build();
            assertThat(client.send(request, HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void configuredOrigin_getsItsPermission_andNoOther() {
        Api page = Api.of(demo, signIn("ada", "participant", "ward-7")).with("Origin", ORIGIN);

        Answer answer = page.get("/rooms").assertStatus(200);
        assertThat(answer.header("Access-Control-Allow-Origin")).contains(ORIGIN);
        assertThat(answer.header("Access-Control-Allow-Credentials")).isEmpty();
        assertThat(answer.header("Vary")).contains("Origin");
        assertThat(answer.header("Access-Control-Expose-Headers").orElse("")).contains("Retry-After");
        Answer preflight = Api.anonymous(demo)
                .with("Origin", ORIGIN)
                .with("Access-Control-Request-Method", "POST")
                .send("OPTIONS", "/rooms", JsonObject.EMPTY_JSON_OBJECT)
                .assertStatus(204);
        assertThat(preflight.header("Access-Control-Allow-Headers").orElse(""))
                .contains("Authorization", "Idempotency-Key", "Last-Event-ID");
        for (String module : new String[] {"/huddle.js", "/client/huddle.js"}) {
            Answer script = page.atRoot().get(module).assertStatus(200);
            assertThat(script.header("Access-Control-Allow-Origin")).as(module).contains(ORIGIN);
        }
        assertThat(page.atRoot().get("/").header("Access-Control-Allow-Origin"))
                .as("the page itself")
                .isEmpty();
        for (String other : new String[] {"null", "https://ehr.example.evil", "http://ehr.example", ORIGIN + ":8443"}) {
            assertThat(page.with("Origin", other).get("/rooms").header("Access-Control-Allow-Origin"))
                    .as(other)
                    .isEmpty();
        }
    }

    @Test
    void demo_onAnOpenEndpoint_doesNotStart() {
        try (Node open = node("contract-demo-open", Map.of("HTTP_HOST", "0.0.0.0"))) {
            // The application was not started; the server around it is up and answers.
            Awaiting.until(
                    Duration.ofSeconds(90),
                    "the end of the start",
                    () -> open.log().contains("CWWKZ0012I") && open.log().contains("CWWKF0011I"));

            assertThat(open.log()).contains("loopback only").contains("set http.host=localhost");
            JsonObject body = Api.json().add("subject", "eve").build();
            assertThat(Api.anonymous(open).post("/demo/token", body).status()).isEqualTo(404);
            assertThat(open.isReady()).isFalse();
        }
    }

    private static Node node(String name, Map<String, String> settings) {
        Store store = Store.h2(Path.of(System.getProperty("huddle.nodes", "target/nodes"), name, "data"));
        return Node.start(name, store.env(), Map.of("HUDDLE_DEMO", "true"), settings);
    }

    private static String signIn(String subject, String group, String team) {
        JsonObjectBuilder body = Api.json()
                .add("subject", subject)
                .add("groups", Json.createArrayBuilder().add(group))
                .add("teams", Json.createArrayBuilder().add(team));
        return Api.anonymous(demo)
                .post("/demo/token", body.build())
                .assertStatus(200)
                .json()
                .getString("token");
    }
}
