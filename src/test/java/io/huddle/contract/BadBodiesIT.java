package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that are wrong in one way each: refused as documented, and the tables know nothing of them. */
class BadBodiesIT extends Contract {
    private static final String JSON = "application/json";
    private static final int LIMIT = 65_536;

    /** What other tests left behind expires and is swept meanwhile, which would look like a trace. */
    @BeforeEach
    void nobodyElse() {
        site.store().update("UPDATE room_session SET state = 'absent', ending = 'left' WHERE state <> 'absent'");
    }

    static Map<String, String> rooms() {
        Map<String, String> bodies = new TreeMap<>();
        bodies.put("nothing", "");
        bodies.put("white space", "  ");
        bodies.put("an array", "[]");
        bodies.put("a string", "\"room\"");
        bodies.put("null", "null");
        bodies.put("an empty object", "{}");
        bodies.put("cut off", "{\"team\":\"TEAM\",\"occurrence\":\"x\"");
        bodies.put("two objects", "{\"team\":\"TEAM\",\"occurrence\":\"x\"} {}");
        bodies.put("text behind", "{\"team\":\"TEAM\",\"occurrence\":\"x\"} x");
        bodies.put("a comment", "{\"team\":\"TEAM\",/**/\"occurrence\":\"x\"}");
        bodies.put("single quotes", "{'team':'TEAM','occurrence':'x'}");
        bodies.put("a trailing comma", "{\"team\":\"TEAM\",\"occurrence\":\"x\",}");
        bodies.put("a raw control character", "{\"team\":\"TEAM\",\"occurrence\":\"x\u0001\"}");
        bodies.put("no team", "{\"occurrence\":\"x\"}");
        bodies.put("no occurrence", "{\"team\":\"TEAM\"}");
        bodies.put("a null occurrence", "{\"team\":\"TEAM\",\"occurrence\":null}");
        bodies.put("an empty occurrence", "{\"team\":\"TEAM\",\"occurrence\":\"\"}");
        bodies.put("a blank occurrence", "{\"team\":\"TEAM\",\"occurrence\":\"  \"}");
        bodies.put("a numeric occurrence", "{\"team\":\"TEAM\",\"occurrence\":7}");
        bodies.put("an array for a text", "{\"team\":\"TEAM\",\"occurrence\":[\"x\"]}");
        bodies.put("an object for a text", "{\"team\":\"TEAM\",\"occurrence\":{}}");
        bodies.put("a duplicate field", "{\"team\":\"TEAM\",\"occurrence\":\"x\",\"occurrence\":\"y\"}");
        bodies.put("a duplicate inner field", fields("\"policy\":{\"leaseSeconds\":60,\"leaseSeconds\":61}"));
        bodies.put("an unknown field", fields("\"colour\":\"red\""));
        bodies.put("an unknown inner field", fields("\"policy\":{\"ttl\":60}"));
        bodies.put("a field in the wrong case", fields("\"Label\":\"x\""));
        bodies.put("a state of one's own", fields("\"state\":\"closed\""));
        bodies.put("a numeric label", fields("\"label\":7"));
        bodies.put("a flag as text", fields("\"critical\":\"true\""));
        bodies.put("a flag as a number", fields("\"synthetic\":1"));
        bodies.put("a policy as an array", fields("\"policy\":[]"));
        bodies.put("a policy as text", fields("\"policy\":\"strict\""));
        bodies.put("a number as text", fields("\"policy\":{\"leaseSeconds\":\"60\"}"));
        bodies.put("a fraction", fields("\"policy\":{\"leaseSeconds\":60.5}"));
        bodies.put("a number without end", fields("\"policy\":{\"leaseSeconds\":1e999999999}"));
        bodies.put("a number next to nothing", fields("\"policy\":{\"leaseSeconds\":1e-999999999}"));
        bodies.put("a number of many digits", fields("\"policy\":{\"leaseSeconds\":" + "9".repeat(5_000) + "}"));
        bodies.put("an escaped NUL", fields("\"label\":\"a\\u0000b\""));
        bodies.put("an escaped control character", fields("\"label\":\"a\\u001bb\""));
        bodies.put("a lone high surrogate", fields("\"label\":\"a\\ud800\""));
        bodies.put("a lone low surrogate", fields("\"label\":\"\\udc00b\""));
        bodies.put("surrogates the wrong way round", fields("\"label\":\"\\udc00\\ud800\""));
        bodies.put("NUL in the occurrence", "{\"team\":\"TEAM\",\"occurrence\":\"\\u0000\"}");
        bodies.put("NUL in an unknown field's name", fields("\"\\u0000\":1"));
        bodies.put("a deep array", fields("\"label\":" + "[".repeat(20_000) + "]".repeat(20_000)));
        bodies.put("a deep object", fields("\"policy\":" + "{\"a\":".repeat(9_000) + "1" + "}".repeat(9_000)));
        bodies.put("depth without an end", "[".repeat(60_000));
        bodies.put("a label of 81 characters", fields("\"label\":\"" + "x".repeat(81) + "\""));
        bodies.put("an occurrence of 201", "{\"team\":\"TEAM\",\"occurrence\":\"" + "x".repeat(201) + "\"}");
        return bodies;
    }

    static List<String> roomNames() {
        return List.copyOf(rooms().keySet());
    }

    @ParameterizedTest
    @MethodSource("roomNames")
    void create_ofABadBody_isInvalidAndLeavesNoTrace(String name) {
        byte[] body = String.valueOf(rooms().get(name)).replace("TEAM", team).getBytes(StandardCharsets.UTF_8);

        assertRefused(400, "invalid-request", () -> create(JSON, body));
    }

    @Test
    void create_ofBytesThatAreNoUtf8_isInvalidAndLeavesNoTrace() {
        byte[][] broken = {
            {(byte) 0xff}, {(byte) 0xc3, 0x28}, {(byte) 0xc0, (byte) 0x80}, {(byte) 0xed, (byte) 0xa0, (byte) 0x80}
        };
        for (byte[] bytes : broken) {
            byte[] head = ("{\"team\":\"" + team + "\",\"occurrence\":\"x").getBytes(StandardCharsets.UTF_8);
            byte[] body = concat(head, bytes, "\"}".getBytes(StandardCharsets.UTF_8));
            assertRefused(400, "invalid-request", () -> create(JSON, body));
        }
        byte[] utf16 = ("{\"team\":\"" + team + "\",\"occurrence\":\"x\"}").getBytes(StandardCharsets.UTF_16);
        assertRefused(400, "invalid-request", () -> create(JSON, utf16));
    }

    @Test
    void label_andOccurrence_ofTheLongestLength_areTaken() {
        // Characters, not bytes or UTF-16 units: these take two and four.
        String label = "\ud83d\udc69".repeat(80);
        Answer created = participant("ada")
                .createRoom(
                        unique(),
                        Api.json()
                                .add("team", team)
                                .add("occurrence", "ü".repeat(200))
                                .add("label", label));

        assertThat(created.assertStatus(201).json().getString("label")).isEqualTo(label);
    }

    @Test
    void body_ofTheLongestLength_isTakenAndNotAByteMore() {
        String json = "{\"team\":\"" + team + "\",\"occurrence\":\"x\"}";
        byte[] most = (json + " ".repeat(LIMIT - json.length())).getBytes(StandardCharsets.UTF_8);
        byte[] tooMany = concat(most, new byte[] {' '});

        assertRefused(413, "payload-too-large", () -> create(JSON, tooMany));
        assertRefused(413, "payload-too-large", () -> createInChunks(tooMany));
        createInChunks(most).assertStatus(201);
        create(JSON, most).assertStatus(409);
    }

    @Test
    void body_ofAMegabyte_isRefusedHoweverItIsSent() {
        byte[] megabyte = "x".repeat(1_048_576).getBytes(StandardCharsets.UTF_8);

        assertRefused(413, "payload-too-large", () -> createInOne(megabyte, megabyte.length));
        assertRefused(413, "payload-too-large", () -> createInChunks(megabyte));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/xml",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/problem+json",
                "application/octet-stream"
            })
    void body_ofAnotherType_isUnsupported(String type) {
        byte[] body = ("{\"team\":\"" + team + "\",\"occurrence\":\"x\"}").getBytes(StandardCharsets.UTF_8);

        assertRefused(415, "unsupported-media-type", () -> create(type, body));
    }

    @Test
    void body_withoutAType_isUnsupported() {
        byte[] body = ("{\"team\":\"" + team + "\",\"occurrence\":\"x\"}").getBytes(StandardCharsets.UTF_8);

        assertRefused(
                415,
                "unsupported-media-type",
                () -> wire(List.of("Idempotency-Key: " + unique(), "Content-Length: " + body.length), body));
    }

    @Test
    void type_withACharset_isTaken() {
        byte[] body = ("{\"team\":\"" + team + "\",\"occurrence\":\"x\"}").getBytes(StandardCharsets.UTF_8);
        create("application/json; charset=UTF-8", body).assertStatus(201);
    }

    @Test
    void malformedType_isNoServerError() {
        byte[] body = ("{\"team\":\"" + team + "\",\"occurrence\":\"x\"}").getBytes(StandardCharsets.UTF_8);
        for (String type : new String[] {"garbage", "/", "application/", "application/json; charset=nonsense"}) {
            Answer answer = create(type, body);
            assertThat(answer.status()).as("%s: %s", type, answer).isIn(201, 400, 415, 409);
            answer.assertNoLeak();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-1",
                "1.5",
                "\"1\"",
                "true",
                "null",
                "[1]",
                "{}",
                "4294967296",
                "9223372036854775808",
                "-9223372036854775809",
                "1e400",
                "NaN"
            })
    void generation_thatIsNone_isInvalidAndLeavesNoTrace(String generation) {
        Membership ada = joined("ada");
        String path = "/rooms/" + ada.room() + "/sessions/" + ada.session();
        byte[] body = ("{\"generation\":" + generation + "}").getBytes(StandardCharsets.UTF_8);
        byte[] media = ("{\"state\":\"failed\",\"generation\":" + generation + "}").getBytes(StandardCharsets.UTF_8);

        assertRefused(400, "invalid-request", () -> ada.api().send("PUT", path + "/lease", JSON, body));
        assertRefused(400, "invalid-request", () -> ada.api().send("POST", path + "/suspend", JSON, body));
        assertRefused(400, "invalid-request", () -> ada.api().send("POST", path + "/media", JSON, media));
        assertRefused(
                400,
                "invalid-request",
                () -> operatorWithReason().send("POST", "/admin/sessions/" + ada.session() + "/remove", JSON, body));
        assertRefused(400, "invalid-request", () -> ada.api().delete(path + "?generation=" + Api.encode(generation)));
    }

    @Test
    void generation_thatIsMissing_isInvalidAndLeavesNoTrace() {
        Membership ada = joined("ada");
        String path = "/rooms/" + ada.room() + "/sessions/" + ada.session();
        byte[] empty = "{}".getBytes(StandardCharsets.UTF_8);
        for (String query : new String[] {"", "?generation=", "?Generation=1", "?generation=1%20OR%201=1"}) {
            assertRefused(400, "invalid-request", () -> ada.api().delete(path + query));
        }
        assertRefused(400, "invalid-request", () -> ada.api().send("PUT", path + "/lease", JSON, empty));
        assertRefused(400, "invalid-request", () -> ada.api().send("POST", path + "/suspend", JSON, empty));
        assertRefused(400, "invalid-request", () -> ada.api().send("POST", path + "/media", JSON, empty));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lease   | \"counter\":-1",
                "lease   | \"counter\":1.5",
                "lease   | \"counter\":\"1\"",
                "lease   | \"counter\":4294967296",
                "lease   | \"leaseSeconds\":9",
                "suspend | \"counter\":-1",
                "suspend | \"until\":\"2030-01-01T00:00:00Z\"",
                "media   | \"flowing\":true",
                "media   | \"state\":\"dead\"",
                "media   | \"state\":\"FAILED\"",
                "media   | \"state\":7",
                "media   | \"state\":\"failed\",\"flowing\":\"yes\"",
                "media   | \"state\":\"failed\",\"rttMs\":-1",
                "media   | \"state\":\"failed\",\"rttMs\":0.5",
                "media   | \"state\":\"failed\",\"rttMs\":3600001",
                "media   | \"state\":\"failed\",\"packetsLost\":-1",
                "media   | \"state\":\"failed\",\"packetsLost\":9223372036854775808",
                "media   | \"state\":\"failed\",\"jitter\":1"
            })
    void command_withABadField_isInvalidAndLeavesNoTrace(String command, String fields) {
        Membership ada = joined("ada");
        String path = "/rooms/" + ada.room() + "/sessions/" + ada.session() + "/" + command;
        byte[] body = ("{\"generation\":1," + fields + "}").getBytes(StandardCharsets.UTF_8);

        assertRefused(
                400,
                "invalid-request",
                () -> ada.api().send(command.equals("lease") ? "PUT" : "POST", path, JSON, body));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"participant\":\"\"",
                "\"participant\":\" \"",
                "\"participant\":\"ada lovelace\"",
                "\"participant\":\"ada@example.org\"",
                "\"participant\":\"ada\\u00a0l\"",
                "\"participant\":\"a\\u0000\"",
                "\"participant\":\"\\ud800\"",
                "\"participant\":7",
                "\"participant\":[\"ada\"]",
                "\"generation\":3",
                "\"participant\":\"ada\",\"participant\":\"bob\""
            })
    void join_ofABadParticipant_isInvalidAndLeavesNoTrace(String fields) {
        String room = openRoom(integrator());
        byte[] body = ("{" + fields + "}").getBytes(StandardCharsets.UTF_8);

        assertRefused(
                400, "invalid-request", () -> integrator().send("POST", "/rooms/" + room + "/sessions", JSON, body));
    }

    @Test
    void participant_ofMoreThanAHundredCharacters_isInvalid() {
        String room = openRoom(integrator());
        assertRefused(400, "invalid-request", () -> integrator().joinAs(room, "x".repeat(101)));
        integrator().joinAs(room, "x".repeat(100)).assertStatus(201);
    }

    @Test
    void join_withoutABody_isAJoinOrRefusedAsDocumented() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        Answer answer = ada.with("Content-Type", JSON).post("/rooms/" + room + "/sessions");

        assertThat(answer.assertStatus(201).json().getString("participant")).isEqualTo("ada");
    }

    private interface Call {
        Answer send();
    }

    private void assertRefused(int status, String code, Call call) {
        Trace before = Trace.of(site.store());
        call.send().assertProblem(status, code);
        before.assertUnchanged();
    }

    private Answer create(String type, byte[] body) {
        return participant("ada").with("Idempotency-Key", unique()).send("POST", "/rooms", type, body);
    }

    private Answer createInOne(byte[] body, long announced) {
        return wire(
                List.of("Idempotency-Key: " + unique(), "Content-Type: " + JSON, "Content-Length: " + announced), body);
    }

    private Answer createInChunks(byte[] body) {
        return wire(
                List.of("Idempotency-Key: " + unique(), "Content-Type: " + JSON, "Transfer-Encoding: chunked"),
                Wire.chunked(body));
    }

    private Answer wire(List<String> headers, byte[] body) {
        List<String> lines = new java.util.ArrayList<>(List.of(
                "POST /api/v1/rooms HTTP/1.1",
                "Accept: application/json",
                "Authorization: Bearer " + io.huddle.harness.Tokens.participant("ada", team)));
        lines.addAll(headers);
        return Wire.exchange(site.node(), lines, body);
    }

    private static String fields(String more) {
        return "{\"team\":\"TEAM\",\"occurrence\":\"x\"," + more + "}";
    }

    private static byte[] concat(byte[]... parts) {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
