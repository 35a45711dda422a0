package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The keys of service clients and devices, as operators see them. */
class ClientKeysIT extends Contract {
    private static final String KEYS = "/admin/clients/keys";

    @Test
    void key_made_hasItsSecretInThatAnswerOnly() {
        String client = "c-" + unique();

        Answer made = create(aKey(client)).assertStatus(201);

        JsonObject json = made.json();
        assertThat(json.getString("client")).isEqualTo(client);
        assertThat(json.getJsonArray("roles").toString()).isEqualTo("[\"integrator\"]");
        assertThat(json.getJsonArray("teams").toString()).isEqualTo("[\"" + team + "\"]");
        assertThat(json.getString("createdBy")).isEqualTo("on-call");
        assertThat(json.getString("createdAt")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(json.getJsonArray("secrets")).hasSize(1);
        assertThat(made.header("Location").orElseThrow()).endsWith(KEYS + "/" + client);
        String secret = json.getString("secret");
        assertThat(secret).matches("[A-Za-z0-9_-]{43}");
        JsonObject listed = find(client);
        assertThat(listed)
                .isEqualTo(Json.createObjectBuilder(json).remove("secret").build());
        assertThat(site.store().column("SELECT sealed FROM client_secret WHERE client = ?", client))
                .singleElement()
                .satisfies(stored -> assertThat(String.valueOf(stored)).doesNotContain(secret));
        assertThat(audit(client)).containsExactly("on-call client-key.create left behind after the standup");
    }

    @Test
    void key_withoutAnId_getsOne() {
        JsonObject made = create(Api.json()).assertStatus(201).json();

        assertThat(made.getString("client")).matches("c-[0-9a-z]{26}");
        assertThat(made.getJsonArray("roles")).isEmpty();
        assertThat(made.getJsonArray("teams")).isEmpty();
    }

    @Test
    void key_ofAnIdThatExists_isRefused() {
        String client = client();
        Trace before = Trace.of(site.store());

        create(aKey(client)).assertProblem(409, "client-exists");

        before.assertUnchanged();
    }

    @Test
    void key_madeByManyAtOnce_isMadeOnce() {
        String client = "c-" + unique();
        JsonObject body = aKey(client).build();
        List<CompletableFuture<Answer>> calls = IntStream.range(0, 8)
                .mapToObj(i -> operatorWithReason().later("POST", KEYS, body))
                .toList();

        List<Integer> statuses =
                calls.stream().map(call -> call.join().status()).sorted().toList();

        assertThat(statuses).containsExactly(201, 409, 409, 409, 409, 409, 409, 409);
        assertThat(audit(client)).hasSize(1);
    }

    @Test
    void rotation_keepsTheSecretBeforeAndNoOlderOne() {
        String client = client();
        String first = ids(find(client)).get(0);

        JsonObject once = rotate(client).assertStatus(200).json();
        JsonObject twice = rotate(client).assertStatus(200).json();

        assertThat(ids(once)).hasSize(2).last().isEqualTo(first);
        assertThat(ids(twice))
                .hasSize(2)
                .doesNotContain(first)
                .last()
                .isEqualTo(ids(once).get(0));
        assertThat(twice.getString("secret")).isNotEqualTo(once.getString("secret"));
        assertThat(find(client).containsKey("secret")).isFalse();
        assertThat(audit(client))
                .containsExactlyInAnyOrder(
                        "on-call client-key.create left behind after the standup",
                        "on-call client-key.rotate left behind after the standup",
                        "on-call client-key.rotate left behind after the standup");
    }

    @Test
    void rotations_atOnce_leaveTwoSecrets() {
        String client = client();
        List<CompletableFuture<Answer>> calls = IntStream.range(0, 6)
                .mapToObj(i -> operatorWithReason().later("POST", KEYS + "/" + client + "/rotate", null))
                .toList();

        assertThat(calls).allSatisfy(call -> assertThat(call.join().status()).isEqualTo(200));

        assertThat(ids(find(client))).hasSize(2);
        assertThat(site.store().column("SELECT number FROM client_secret WHERE client = ? ORDER BY number", client))
                .containsExactly(6, 7);
    }

    @Test
    void deletion_leavesNothingButTheAudit() {
        String client = client();

        operatorWithReason().delete(KEYS + "/" + client).assertStatus(204);

        for (String table : List.of("client_key", "client_team", "client_secret")) {
            assertThat(site.store().column("SELECT client FROM " + table + " WHERE client = ?", client))
                    .as(table)
                    .isEmpty();
        }
        assertThat(audit(client)).hasSize(2).contains("on-call client-key.delete left behind after the standup");
        operatorWithReason().delete(KEYS + "/" + client).assertProblem(404, "client-not-found");
        create(aKey(client)).assertStatus(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"c-nobody", "s-00000000000000000000000000", "x", "c-%C3%84"})
    void unknownClient_isNotFound(String client) {
        operatorWithReason().delete(KEYS + "/" + client).assertProblem(404, "client-not-found");
        operatorWithReason().post(KEYS + "/" + client + "/rotate").assertProblem(404, "client-not-found");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"client\":\"badge\"}",
                "{\"client\":\"c-\"}",
                "{\"client\":\"s-00000000000000000000000000\"}",
                "{\"client\":\"c-a b\"}",
                "{\"client\":\"c-\u00e4\"}",
                "{\"client\":7}",
                "{\"roles\":[\"operator\"]}",
                "{\"roles\":[\"nurse\"]}",
                "{\"roles\":\"integrator\"}",
                "{\"teams\":[\"\"]}",
                "{\"teams\":[7]}",
                "{\"secret\":\"mine\"}",
                "[]"
            })
    void key_malformed_isInvalidAndLeavesNoTrace(String body) {
        Trace before = Trace.of(site.store());
        operatorWithReason()
                .send("POST", KEYS, "application/json", body.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .assertProblem(400, "invalid-request");
        before.assertUnchanged();
    }

    @Test
    void clientId_ofEachAllowedLength_isTakenAndPagedOver() {
        String longest = ("c-" + unique() + "x".repeat(128)).substring(0, 128);
        create(aKey(longest)).assertStatus(201);
        create(aKey(longest + "x")).assertProblem(400, "invalid-request");
        String next = operator().get(KEYS + "?limit=1").json().getString("next");

        operator().get(KEYS + "?limit=1&cursor=" + next).assertStatus(200);
    }

    @Test
    void list_inPages_hasEachClientOnceAndTheNewestFirst() {
        List<String> made = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            made.add(0, client());
        }
        List<String> listed = new ArrayList<>();
        String cursor = "";
        do {
            JsonObject page =
                    operator().get(KEYS + "?limit=2" + cursor).assertStatus(200).json();
            page.getJsonArray("items")
                    .getValuesAs(JsonObject.class)
                    .forEach(key -> listed.add(key.getString("client")));
            cursor = page.containsKey("next") ? "&cursor=" + page.getString("next") : "";
        } while (!cursor.isEmpty());

        assertThat(listed).doesNotHaveDuplicates().containsSubsequence(made);
        operator().get(KEYS + "?limit=0").assertProblem(400, "invalid-request");
        operator().get(KEYS + "?cursor=x").assertProblem(400, "invalid-request");
    }

    @Test
    void everyCall_isForOperatorsWithAReason() {
        String client = client();
        Trace before = Trace.of(site.store());
        for (Api api : List.of(participant("ada"), integrator())) {
            api.get(KEYS).assertProblem(403, "forbidden");
            Api reasoned = api.with("Huddle-Reason", "because");
            reasoned.post(KEYS, aKey("c-" + unique()).build()).assertProblem(403, "forbidden");
            reasoned.post(KEYS + "/" + client + "/rotate").assertProblem(403, "forbidden");
            reasoned.delete(KEYS + "/" + client).assertProblem(403, "forbidden");
        }
        operator().post(KEYS, aKey("c-" + unique()).build()).assertProblem(400, "reason-missing");
        operator().post(KEYS + "/" + client + "/rotate").assertProblem(400, "reason-missing");
        operator().delete(KEYS + "/" + client).assertProblem(400, "reason-missing");
        before.assertUnchanged();
    }

    private JsonObjectBuilder aKey(String client) {
        JsonArrayBuilder teams = Json.createArrayBuilder().add(team);
        return Api.json()
                .add("client", client)
                .add("roles", Json.createArrayBuilder().add("integrator"))
                .add("teams", teams);
    }

    private Answer create(JsonObjectBuilder key) {
        return operatorWithReason().post(KEYS, key.build());
    }

    private Answer rotate(String client) {
        return operatorWithReason().post(KEYS + "/" + client + "/rotate");
    }

    /** A new client. */
    private String client() {
        String client = "c-" + unique();
        create(aKey(client)).assertStatus(201);
        return client;
    }

    private JsonObject find(String client) {
        return operator()
                .get(KEYS + "?limit=200")
                .assertStatus(200)
                .json()
                .getJsonArray("items")
                .getValuesAs(JsonObject.class)
                .stream()
                .filter(key -> key.getString("client").equals(client))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> ids(JsonObject key) {
        return key.getJsonArray("secrets").getValuesAs(JsonObject.class).stream()
                .map(secret -> secret.getString("id"))
                .toList();
    }

    private List<String> audit(String client) {
        return site
                .store()
                .column(
                        "SELECT actor || ' ' || action || ' ' || reason FROM audit WHERE client = ? ORDER BY at",
                        client)
                .stream()
                .map(String::valueOf)
                .toList();
    }
}
