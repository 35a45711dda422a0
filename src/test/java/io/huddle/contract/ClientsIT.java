package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.StreamClient;
import io.huddle.harness.Tokens;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.USetMetadataRequest;
import io.huddle.wire.USetMetadataResponse;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The connected clients by REST, on one node. */
class ClientsIT extends StreamContract {
    private static final String JSON = "application/json";

    /** What JSON libraries like to change. */
    private static final String AWKWARD =
            "{\"list\":[],\"big\":9007199254740991,\"f\":0.1234567890123456,\"z\":1,\"a\":\"\\u00e9é\",\"e\":1e5}";

    private final String id = "c-" + unique();

    @Test
    void client_connected_isShownAsItIs() {
        Instant before = site.clock().now().minusSeconds(120);
        StreamClient badge = client(id, "participant", team);
        Member ada = member("ada", openRoom(participant("ada")));

        JsonObject shown = integrator().get("/clients/" + id).assertStatus(200).json();
        JsonObject participant =
                integrator().get("/clients/" + ada.session()).assertStatus(200).json();

        assertThat(shown.keySet()).containsExactlyInAnyOrder("client", "node", "connectedAt", "metadata");
        assertThat(shown.getString("client")).isEqualTo(id);
        assertThat(shown.getString("node")).matches("\\d+").isEqualTo(participant.getString("node"));
        assertThat(shown.getString("connectedAt")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(Instant.parse(shown.getString("connectedAt"))).isAfter(before);
        assertThat(participant.getString("session")).isEqualTo(ada.session());
        assertThat(participant.getInt("generation")).isEqualTo(ada.generation());
        assertThat(operator().get("/clients/" + id).assertStatus(200).json()).isEqualTo(shown);
        badge.close();
        awaitGone(id);
    }

    @Test
    void metadata_ofTheClient_comesBackCharacterByCharacter() {
        setMetadata(client(id, "participant", team), AWKWARD);

        Answer shown = integrator().get("/clients/" + id).assertStatus(200);

        assertThat(shown.text()).contains("\"metadata\":" + AWKWARD);
        assertThat(listed(integrator(), "").stream()
                        .filter(client -> client.getString("client").equals(id))
                        .map(client -> client.getJsonObject("metadata").toString()))
                .singleElement()
                .asString()
                .contains("9007199254740991", "0.1234567890123456");
    }

    @Test
    void metadata_patched_isMergedAndNullDeletes() {
        setMetadata(client(id, "participant", team), "{\"floor\":3,\"gone\":{\"a\":1},\"kept\":[]}");

        Answer patched = patch(
                        "{\"big\":9007199254740991,\"f\":0.1234567890123456,\"gone\":null,\"floor\":4,\"never\":null}")
                .assertStatus(200);

        JsonObject metadata = patched.json().getJsonObject("metadata");
        assertThat(patched.json().getString("client")).isEqualTo(id);
        assertThat(metadata.keySet()).containsExactlyInAnyOrder("floor", "kept", "big", "f");
        assertThat(metadata.get("big")).hasToString("9007199254740991");
        assertThat(metadata.get("f")).hasToString("0.1234567890123456");
        assertThat(metadata.get("kept")).hasToString("[]");
        assertThat(metadata.getInt("floor")).isEqualTo(4);
        assertThat(integrator().get("/clients/" + id).json().getJsonObject("metadata"))
                .isEqualTo(metadata);
    }

    @Test
    void metadata_patchedByManyAtOnce_keepsEverybodysPart() {
        var unused = client(id, "participant", team);
        List<CompletableFuture<Answer>> patches = IntStream.range(0, 10)
                .mapToObj(i -> integrator()
                        .later(
                                "PATCH",
                                "/clients/" + id + "/metadata",
                                Api.json().add("k" + i, i).build()))
                .toList();

        assertThat(patches).allSatisfy(patch -> patch.join().assertStatus(200));

        assertThat(integrator()
                        .get("/clients/" + id)
                        .json()
                        .getJsonObject("metadata")
                        .keySet())
                .containsAll(IntStream.range(0, 10).mapToObj(i -> "k" + i).toList());
    }

    /** A body may be longer than others', since it names also what is to go; the merged metadata may not. */
    @Test
    void metadata_tooLarge_isRefusedAndStays() {
        setMetadata(client(id, "participant", team), "{\"a\":1}");
        String deletes = IntStream.range(10_000, 15_000)
                .mapToObj(i -> "\"k" + i + "\":null")
                .collect(Collectors.joining(",", "{", "}"));

        patch(deletes).assertStatus(200);
        patch("{\"notes\":\"" + "x".repeat(60 * 1024) + "\"}").assertStatus(200);
        patch("{\"more\":\"" + "x".repeat(8 * 1024) + "\"}").assertProblem(413, "payload-too-large");
        patch("{\"notes\":\"" + "x".repeat(70 * 1024) + "\"}").assertProblem(413, "payload-too-large");
        patch("{\"notes\":\"" + "x".repeat(81_920) + "\"}").assertProblem(413, "payload-too-large");

        JsonObject metadata = integrator().get("/clients/" + id).json().getJsonObject("metadata");
        assertThat(metadata.keySet()).containsExactlyInAnyOrder("a", "notes");
        assertThat(metadata.getString("notes")).hasSize(60 * 1024);
    }

    @Test
    void invocation_answered_givesTheClientsData() {
        StreamClient badge = client(id, "participant", team);
        badge.answer(
                DCallRequest.class,
                call -> DCallResponse.newBuilder()
                        .setData(call.getType().equals("echo") ? call.getData() : "null")
                        .build());

        Answer echoed = invoke("{\"type\":\"echo\",\"data\":" + AWKWARD + ",\"timeoutMs\":60000}")
                .assertStatus(200);
        assertThat(echoed.text()).contains("9007199254740991", "0.1234567890123456");
        assertThat(echoed.json().keySet()).containsExactly("data");
        assertThat(echoed.json().getJsonObject("data").getJsonArray("list")).isEmpty();
        assertThat(echoed.json().getJsonObject("data").getString("a")).isEqualTo("éé");
        assertThat(invoke("{\"type\":\"echo\",\"data\":null}")
                        .assertStatus(200)
                        .json()
                        .get("data"))
                .isEqualTo(JsonValue.NULL);
        assertThat(invoke("{\"type\":\"echo\",\"data\":\"é\"}")
                        .assertStatus(200)
                        .json()
                        .getString("data"))
                .isEqualTo("é");
        assertThat(invoke("{\"type\":\"other\",\"data\":1}").assertStatus(200).text())
                .isEqualTo("{\"data\":null}");
    }

    @Test
    void invocation_ofAParticipant_reachesIt() {
        Member ada = member("ada", openRoom(participant("ada")));
        ada.stream()
                .answer(
                        DCallRequest.class,
                        call -> DCallResponse.newBuilder().setData("[true]").build());

        Answer answer = integrator()
                .post(
                        "/clients/" + ada.session() + "/invoke",
                        Api.json().add("type", "page").add("data", 1).build());

        assertThat(answer.assertStatus(200).text()).isEqualTo("{\"data\":[true]}");
    }

    @Test
    void invocation_thatTheClientRefuses_isAClientErrorWithItsFlagAndWithoutItsText() {
        client(id, "participant", team).answer(DCallRequest.class, call -> {
            throw call.getType().equals("users")
                    ? new IllegalArgumentException("diagnosis of somebody")
                    : new IllegalStateException("diagnosis of somebody");
        });

        Answer users = invoke("{\"type\":\"users\",\"data\":1}").assertProblem(502, "client-error");
        Answer own = invoke("{\"type\":\"own\",\"data\":1}").assertProblem(502, "client-error");

        assertThat(users.json().getBoolean("userError")).isTrue();
        assertThat(own.json().getBoolean("userError")).isFalse();
        assertThat(users.text() + own.text()).doesNotContain("diagnosis");
    }

    @Test
    void invocation_notAnswered_isIndeterminateAfterItsTime() {
        StreamClient badge = client(id, "participant", team);
        badge.answerLater(DCallRequest.class, call -> new CompletableFuture<DCallResponse>());
        long start = System.nanoTime();

        invoke("{\"type\":\"page\",\"data\":1,\"timeoutMs\":400}").assertProblem(502, "delivery-indeterminate");

        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(350), Duration.ofSeconds(5));
        CompletableFuture<Answer> pending = integrator()
                .later(
                        "POST",
                        "/clients/" + id + "/invoke",
                        Api.json().add("type", "page").add("data", 2).build());
        badge.await(DCallRequest.class, 2);
        badge.abort();
        pending.join().assertProblem(502, "delivery-indeterminate");
        awaitGone(id);
        invoke("{\"type\":\"page\",\"data\":1}").assertProblem(404, "client-not-found");
        assertThat(badge.requests(DCallRequest.class)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{\"type\":\"page\"}",
                "{\"data\":1}",
                "{\"type\":\"\",\"data\":1}",
                "{\"type\":7,\"data\":1}",
                "{\"type\":\"page\",\"data\":1,\"timeoutMs\":0}",
                "{\"type\":\"page\",\"data\":1,\"timeoutMs\":60001}",
                "{\"type\":\"page\",\"data\":1,\"timeoutMs\":1.5}",
                "{\"type\":\"page\",\"data\":1,\"timeoutMs\":\"5\"}",
                "{\"type\":\"page\",\"data\":1,\"deadline\":5}",
                "{\"type\":\"page\",\"data\":1,\"data\":2}",
                "{\"type\":\"page\",\"data\":{\"a\":1,\"a\":2}}",
                "{\"type\":\"page\",\"data\":}",
                "{\"type\":\"page\",\"data\":1} {}",
                "[\"page\",1]"
            })
    void invocation_malformed_isInvalidAndNotSent(String body) {
        StreamClient badge = client(id, "participant", team);

        invoke(body).assertProblem(400, "invalid-request");

        assertThat(badge.requests(DCallRequest.class)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"b\":2}}", "{\"a\":1}}", "{", "null"})
    void metadata_malformed_isInvalidAndStays(String body) {
        setMetadata(client(id, "participant", team), "{\"a\":0}");

        patch(body).assertProblem(400, "invalid-request");

        assertThat(integrator().get("/clients/" + id).json().getJsonObject("metadata"))
                .hasToString("{\"a\":0}");
    }

    @Test
    void bodies_tooLargeOrNotJson_areRefused() {
        StreamClient badge = client(id, "participant", team);
        String long64 = "{\"type\":\"page\",\"data\":\"" + "x".repeat(65_536) + "\"}";

        invoke(long64).assertProblem(413, "payload-too-large");
        integrator()
                .send("POST", "/clients/" + id + "/invoke", "text/plain", bytes("{}"))
                .assertProblem(415, "unsupported-media-type");
        integrator()
                .send("PATCH", "/clients/" + id + "/metadata", "text/plain", bytes("{}"))
                .assertProblem(415, "unsupported-media-type");
        integrator()
                .send("PATCH", "/clients/" + id + "/metadata", JSON, new byte[] {
                    '{', '"', (byte) 0xff, '"', ':', '1', '}'
                })
                .assertProblem(400, "invalid-request");

        assertThat(badge.requests(DCallRequest.class)).isEmpty();
    }

    @Test
    void disconnection_byAnOperatorWithAReason_closesTheStreamAndIsAudited() {
        StreamClient badge = client(id, "participant", team);
        StreamClient other = client("participant", team);

        operator().delete("/clients/" + id).assertProblem(400, "reason-missing");
        integrator().with("Huddle-Reason", "mine").delete("/clients/" + id).assertProblem(403, "forbidden");
        participant("ada")
                .with("Huddle-Reason", "mine")
                .delete("/clients/" + id)
                .assertProblem(403, "forbidden");
        assertThat(badge.isClosed()).isFalse();
        assertThat(audit(id)).isEmpty();

        operatorWithReason().delete("/clients/" + id).assertStatus(204);

        assertThat(badge.awaitClose().code()).isEqualTo(4005);
        // The client may know before the registry does.
        Awaiting.asserted(() -> operator().get("/clients/" + id).assertProblem(404, "client-not-found"));
        operatorWithReason().delete("/clients/" + id).assertProblem(404, "client-not-found");
        assertThat(audit(id)).containsExactly("on-call client.disconnect left behind after the standup");
        assertThat(other.isClosed()).isFalse();
    }

    @Test
    void disconnection_ofAParticipant_leavesItInTheRoom() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);

        operatorWithReason().delete("/clients/" + ada.session()).assertStatus(204);

        assertThat(ada.stream().awaitClose().code()).isEqualTo(4005);
        assertThat(roster(room)).singleElement().asString().startsWith("ada:");
        ada.membership().renew().assertStatus(200);
    }

    @Test
    void clients_ofOtherTeams_doNotExist() {
        StreamClient badge = client(id, "participant", "team-of-others");
        setMetadata(badge, "{\"a\":0}");
        Member ada = member("ada", openRoom(participant("ada")));
        Api stranger = Api.of(site.node(), Tokens.integrator("stranger", "team-of-strangers"));

        integrator().get("/clients/" + id).assertProblem(404, "client-not-found");
        invoke("{\"type\":\"page\",\"data\":1}").assertProblem(404, "client-not-found");
        patch("{\"a\":1}").assertProblem(404, "client-not-found");
        stranger.get("/clients/" + ada.session()).assertProblem(404, "client-not-found");

        assertThat(ids(listed(integrator(), ""))).doesNotContain(id).contains(ada.session());
        assertThat(listed(stranger, "")).isEmpty();
        assertThat(ids(listed(operator(), ""))).contains(id, ada.session());
        assertThat(operator().get("/clients/" + id).json().getJsonObject("metadata"))
                .hasToString("{\"a\":0}");
        assertThat(badge.requests(DCallRequest.class)).isEmpty();
    }

    @Test
    void roles_otherThanThePagesSays_mayNot() {
        var unused = client(id, "participant", team);
        JsonObject call = Api.json().add("type", "page").add("data", 1).build();

        participant("ada").get("/clients").assertProblem(403, "forbidden");
        participant("ada").get("/clients/" + id).assertProblem(403, "forbidden");
        for (Api api : List.of(participant("ada"), operatorWithReason())) {
            api.post("/clients/" + id + "/invoke", call).assertProblem(403, "forbidden");
            api.patch("/clients/" + id + "/metadata", call).assertProblem(403, "forbidden");
        }
        Api.anonymous(site.node()).get("/clients").assertProblem(401, "unauthenticated");
    }

    @ParameterizedTest
    @ValueSource(strings = {"c-nobody", "s-00000000000000000000000000", "%C3%84%20%22", "..%2e", "a%2Fb", "%00"})
    void client_unknown_isNotFound(String unknown) {
        Trace before = Trace.of(site.store());
        for (Answer answer : List.of(
                integrator().get("/clients/" + unknown),
                integrator().send("PATCH", "/clients/" + unknown + "/metadata", JSON, bytes("{\"a\":1}")),
                integrator()
                        .send("POST", "/clients/" + unknown + "/invoke", JSON, bytes("{\"type\":\"t\",\"data\":1}")),
                operatorWithReason().delete("/clients/" + unknown))) {
            assertThat(answer.status()).as("%s", answer).isIn(404, 400);
            answer.assertNoLeak();
        }
        before.assertUnchanged();
    }

    /** Now and then a refusal that was ready before its request's thread had let go was answered as an internal error. */
    @Test
    void refusals_asFastAsCanBe_areAllToldTruly() {
        JsonObject call = Api.json().add("type", "page").add("data", 1).build();
        List<CompletableFuture<Answer>> calls = new ArrayList<>();
        for (int caller = 0; caller < 10; caller++) {
            Api api = Api.of(site.node(), Tokens.integrator("caller-" + unique(), team));
            for (int i = 0; i < 100; i++) {
                calls.add(api.later("GET", "/clients/c-nobody", null));
                calls.add(api.later("POST", "/clients/c-nobody/invoke", call));
            }
            calls.forEach(CompletableFuture::join);
        }
        assertThat(calls).allSatisfy(one -> one.join().assertProblem(404, "client-not-found"));
    }

    @Test
    void client_withAnIdBeyondAllLength_isNotFound() {
        integrator().get("/clients/c-" + "x".repeat(1_100)).assertProblem(404, "client-not-found");
        integrator().get("/clients/" + "%C3%A4".repeat(600)).assertProblem(404, "client-not-found");
    }

    @Test
    void list_inPages_hasEachClientOnce() {
        List<String> connected = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            String one = "c-" + unique();
            connected.add(one);
            var unused = client(one, "participant", team);
        }

        List<JsonObject> all = listed(integrator(), "&limit=2");

        assertThat(ids(all)).containsExactlyInAnyOrderElementsOf(connected);
        String node = all.get(0).getString("node");
        assertThat(ids(listed(integrator(), "&limit=3&node=" + node))).containsExactlyInAnyOrderElementsOf(connected);
        assertThat(listed(integrator(), "&node=1")).isEmpty();
    }

    /** Pages end at whatever client comes next in the registry, and with a page size of one at each of them. */
    @Test
    void cursor_ofAListing_tellsNothingOfOthersClientsAndCannotBeMade() {
        String other = "c-of-others-" + unique();
        var unused = client(id, "participant", team);
        var unusedToo = client(other, "participant", "team-of-others");
        List<String> seen = new ArrayList<>();
        List<String> cursors = new ArrayList<>();

        String query = "/clients?limit=1";
        while (!query.isEmpty()) {
            JsonObject page = integrator().get(query).assertStatus(200).json();
            seen.addAll(ids(page.getJsonArray("items").getValuesAs(JsonObject.class)));
            String next = page.getString("next", "");
            cursors.add(next);
            query = next.isEmpty() ? "" : "/clients?limit=1&cursor=" + next;
        }

        assertThat(seen).containsExactly(id);
        assertThat(cursors).hasSizeGreaterThan(1);
        String foreign = cursors.get(0);
        for (String cursor : cursors) {
            String plain = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.ISO_8859_1);
            String twice = plain.matches("[\\w-]+")
                    ? new String(Base64.getUrlDecoder().decode(plain), StandardCharsets.ISO_8859_1)
                    : "";
            assertThat(cursor + plain + twice).doesNotContain(id, other, "of-others");
        }
        for (int i = 0; i < foreign.length(); i += 5) {
            char changed = foreign.charAt(i) == 'A' ? 'B' : 'A';
            String altered = foreign.substring(0, i) + changed + foreign.substring(i + 1);
            integrator().get("/clients?cursor=" + altered).assertProblem(400, "invalid-request");
        }
        integrator().get("/clients?node=1&cursor=" + foreign).assertProblem(400, "invalid-request");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=201",
                "limit=x",
                "cursor=x",
                "cursor=bm9uc2Vuc2U",
                "cursor=%2B%2B",
                "node=",
                "node=x",
                "node=-1",
                "node=99999999999999999999"
            })
    void list_askedWrongly_isInvalid(String query) {
        integrator().get("/clients?" + query).assertProblem(400, "invalid-request");
    }

    private Answer invoke(String body) {
        return integrator().send("POST", "/clients/" + id + "/invoke", JSON, bytes(body));
    }

    private Answer patch(String body) {
        return integrator().send("PATCH", "/clients/" + id + "/metadata", JSON, bytes(body));
    }

    private void setMetadata(StreamClient stream, String json) {
        assertThat(stream.call(
                                USetMetadataRequest.newBuilder()
                                        .setMetadata(json)
                                        .build(),
                                USetMetadataResponse.class)
                        .getAccepted())
                .isTrue();
        Awaiting.until(
                "the metadata in the registry",
                () -> operator().get("/clients/" + id).text().contains("\"metadata\":" + json));
    }

    private void awaitGone(String client) {
        Awaiting.until(
                "the end of " + client,
                () -> operator().get("/clients/" + client).status() == 404);
    }

    /** All pages. */
    private static List<JsonObject> listed(Api api, String query) {
        List<JsonObject> items = new ArrayList<>();
        String cursor = "";
        do {
            JsonObject page =
                    api.get("/clients?x" + query + cursor).assertStatus(200).json();
            items.addAll(page.getJsonArray("items").getValuesAs(JsonObject.class));
            cursor = page.containsKey("next") ? "&cursor=" + page.getString("next") : "";
        } while (!cursor.isEmpty());
        return items;
    }

    private static List<String> ids(List<JsonObject> items) {
        return items.stream().map(item -> item.getString("client")).toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> audit(String client) {
        return site
                .store()
                .column(
                        "SELECT actor || ' ' || action || ' ' || reason FROM audit WHERE client = ? AND action ="
                                + " 'client.disconnect' ORDER BY at",
                        client)
                .stream()
                .map(String::valueOf)
                .toList();
    }
}
