package io.huddle.room;

import static io.huddle.web.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.setting.Configured;
import io.huddle.web.IdempotencyKey;
import io.huddle.web.RequestBody;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CreationTest {
    private static final String PLAIN = "{\"team\":\"icu\",\"occurrence\":\"2026-11-30\"}";

    @Test
    void read_least_takesTheDefaults() {
        Creation creation = creation(PLAIN);
        assertThat(creation.team()).isEqualTo("icu");
        assertThat(creation.occurrence()).isEqualTo("2026-11-30");
        assertThat(creation.label()).isNull();
        assertThat(creation.critical()).isFalse();
        assertThat(creation.synthetic()).isFalse();
        assertThat(creation.policy()).isEqualTo(new Policy(5, 15, 120, 50));
        assertThat(creation.createdBy()).isEqualTo("p-1");
    }

    @Test
    void fingerprint_any_carriesItsVersionAndFitsItsColumn() {
        assertThat(creation(PLAIN).fingerprint()).matches("1:[0-9a-f]{64}");
    }

    /** A retry may cross a release: the text of version 1 must never change. */
    @Test
    void fingerprint_version1_staysWhatItIs() {
        assertThat(creation(PLAIN).fingerprint())
                .isEqualTo("1:" + sha256("{\"occurrence\":\"2026-11-30\",\"team\":\"icu\",}"));
    }

    @Test
    void fingerprint_sameFields_isTheSameWhoeverAsks() {
        String one = creation(
                        "{\"team\":\"icu\",\"occurrence\":\"o\",\"policy\":{\"leaseSeconds\":20,\"maxParticipants\":3}}")
                .fingerprint();
        String other =
                " { \"policy\" : { \"maxParticipants\" : 3 , \"leaseSeconds\" : 20 } , \"occurrence\" : \"o\" , \"team\" : \"icu\" } ";
        assertThat(creation(other).fingerprint()).isEqualTo(one);
        assertThat(Creation.read(body(other), "p-2", new IdempotencyKey("k2")).fingerprint())
                .isEqualTo(one);
    }

    @Test
    void fingerprint_otherDefaultsOfTheDeployment_doNotMatter() {
        String before = creation(PLAIN).fingerprint();
        Configured.with(
                Map.of("huddle.room.lease-seconds", "60"),
                () -> assertThat(creation(PLAIN).fingerprint()).isEqualTo(before));
    }

    @Test
    void fingerprint_fieldsAsSent_differWhereTheyDiffer() {
        List<String> all = List.of(
                PLAIN,
                "{\"team\":\"icu\",\"occurrence\":\"2026-12-01\"}",
                "{\"team\":\"er\",\"occurrence\":\"2026-11-30\"}",
                "{\"team\":\"icu\",\"occurrence\":\"2026-11-30\",\"label\":\"x\"}",
                "{\"team\":\"icu\",\"occurrence\":\"2026-11-30\",\"label\":null}",
                "{\"team\":\"icu\",\"occurrence\":\"2026-11-30\",\"critical\":false}",
                "{\"team\":\"icu\",\"occurrence\":\"2026-11-30\",\"critical\":true}",
                "{\"team\":\"icu\",\"occurrence\":\"2026-11-30\",\"policy\":{}}",
                "{\"team\":\"icu\",\"occurrence\":\"2026-11-30\",\"policy\":{\"leaseSeconds\":15}}");
        assertThat(all.stream().map(json -> creation(json).fingerprint())).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"team\":\"icu\"}",
                "{\"occurrence\":\"o\"}",
                "{\"team\":\"\",\"occurrence\":\"o\"}",
                "{\"team\":\"icu\",\"occurrence\":\"o\",\"extra\":1}",
                "{\"team\":\"icu\",\"occurrence\":\"o\",\"createdBy\":\"p-9\"}",
                "{\"team\":\"icu\",\"occurrence\":\"o\",\"critical\":\"true\"}",
                "{\"team\":\"icu\",\"occurrence\":\"o\",\"policy\":[]}",
                "{\"team\":\"icu\",\"occurrence\":\"o\",\"policy\":{\"x\":1}}"
            })
    void read_wrong_isInvalid(String json) {
        assertInvalid(() -> creation(json));
    }

    @Test
    void read_tooLong_isInvalid() {
        creation("{\"team\":\"" + "t".repeat(100) + "\",\"occurrence\":\"" + "o".repeat(200) + "\",\"label\":\""
                + "🎧".repeat(80) + "\"}");
        assertInvalid(() -> creation("{\"team\":\"" + "t".repeat(101) + "\",\"occurrence\":\"o\"}"), "team");
        assertInvalid(() -> creation("{\"team\":\"t\",\"occurrence\":\"" + "o".repeat(201) + "\"}"), "occurrence");
        assertInvalid(
                () -> creation("{\"team\":\"t\",\"occurrence\":\"o\",\"label\":\"" + "l".repeat(81) + "\"}"), "label");
    }

    private static Creation creation(String json) {
        return Creation.read(body(json), "p-1", new IdempotencyKey("k"));
    }

    private static RequestBody body(String json) {
        return RequestBody.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static String sha256(String text) {
        try {
            return java.util.HexFormat.of()
                    .formatHex(java.security.MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
