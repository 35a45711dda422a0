package io.huddle.wire;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class CanonicalHandshakeTest {
    private static final String VECTORS = "/io/huddle/wire/handshake-signatures.json";

    static Stream<Arguments> vectors() throws IOException {
        try (InputStream file = CanonicalHandshakeTest.class.getResourceAsStream(VECTORS)) {
            // Through a text, since the reader of bytes refuses the escape of half a surrogate pair.
            String text = new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
            try (JsonReader reader = Json.createReader(new StringReader(text))) {
                List<JsonObject> vectors = reader.readArray().getValuesAs(JsonObject.class);
                assertThat(vectors).hasSizeGreaterThanOrEqualTo(4);
                return vectors.stream().map(vector -> Arguments.of(vector.getString("note"), vector));
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("vectors")
    void vector_each_hasItsTextAndSignature(String note, JsonObject vector) {
        CanonicalHandshake handshake = read(vector.getJsonObject("fields"));

        assertThat(handshake.text()).as(note).isEqualTo(vector.getString("canonical"));
        assertThat(handshake.signature(vector.getString("secret"))).as(note).isEqualTo(vector.getString("signature"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("vectors")
    void vector_withAnyFieldChanged_hasAnotherSignature(String note, JsonObject vector) {
        JsonObject fields = vector.getJsonObject("fields");
        for (String field : fields.keySet()) {
            JsonObject changed = field.equals("metadata")
                    ? Json.createObjectBuilder(fields)
                            .add(
                                    field,
                                    Json.createObjectBuilder(fields.getJsonObject(field))
                                            .add("more", ""))
                            .build()
                    : Json.createObjectBuilder(fields)
                            .add(field, field.equals("supersede") ? flipped(fields) : fields.getString(field) + "x")
                            .build();
            assertThat(read(changed).signature(vector.getString("secret")))
                    .as("%s with another %s", note, field)
                    .isNotEqualTo(vector.getString("signature"));
        }
    }

    /** As ECMAScript orders properties: array indices by number, everything else by code unit. */
    @Test
    void object_keys_haveEcmaScriptsOrder() {
        Map<String, String> members = new LinkedHashMap<>();
        for (String key : List.of("b", "4294967295", "4294967294", "10", "9", "-1", "1.5", "00", "0", "", "a", "B")) {
            members.put(key, "");
        }
        assertThat(CanonicalHandshake.object(members))
                .isEqualTo("{\"0\":\"\",\"9\":\"\",\"10\":\"\",\"4294967294\":\"\",\"\":\"\",\"-1\":\"\",\"00\":\"\","
                        + "\"1.5\":\"\",\"4294967295\":\"\",\"B\":\"\",\"a\":\"\",\"b\":\"\"}");
    }

    @Test
    void object_text_isEscapedAsJsonStringifyDoes() {
        assertThat(CanonicalHandshake.object(Map.of("k", "\b\t\n\f\r\"\\/\u0000\u001f\u007f\u2028")))
                .isEqualTo("{\"k\":\"\\b\\t\\n\\f\\r\\\"\\\\/\\u0000\\u001f\u007f\u2028\"}");
    }

    @Test
    void object_surrogates_areEscapedOnlyWithoutTheirOther() {
        assertThat(CanonicalHandshake.object(Map.of("k", "\ud83d\ude00 \ude00\ud83d \udbff")))
                .isEqualTo("{\"k\":\"\ud83d\ude00 \\ude00\\ud83d \\udbff\"}");
    }

    @Test
    void legacySignature_ofTheOldProtocols_coversFourFields() {
        assertThat(CanonicalHandshake.legacySignature(
                        "0123456789abcdef0123456789abcdef", "1.0", "1767225600000", "st-1", "c-badge-7"))
                .isEqualTo("a64c980ab918b3ace6d932d3d0d14f21a0a13ecae1666d22722c65aab8aca4fa");
    }

    private static String flipped(JsonObject fields) {
        return fields.getString("supersede").equals("1") ? "0" : "1";
    }

    private static CanonicalHandshake read(JsonObject fields) {
        Map<String, String> metadata = new LinkedHashMap<>();
        fields.getJsonObject("metadata").forEach((key, value) -> metadata.put(key, ((JsonString) value).getString()));
        return new CanonicalHandshake(
                fields.getString("path"),
                fields.getString("audience"),
                fields.getString("appv"),
                fields.getString("ts"),
                fields.getString("nonce"),
                fields.getString("id"),
                fields.getString("cid"),
                fields.getString("protocol"),
                fields.getString("supersede").equals("1"),
                fields.getString("capabilities"),
                metadata);
    }
}
