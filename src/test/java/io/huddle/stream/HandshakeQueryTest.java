package io.huddle.stream;

import static io.huddle.web.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.web.Refused;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandshakeQueryTest {
    private static final HandshakeQuery.Limits LIMITS = new HandshakeQuery.Limits(1_024, 65_536, false);
    private static final HandshakeQuery.Limits LEGACY = new HandshakeQuery.Limits(1_024, 65_536, true);
    private static final String PROOFS =
            "appv=1.0.0&ts=1767225600000&nonce=0123456789abcdef&aud=/stream&id=st-1" + "&cid=c-badge-7&signature=00ff";
    private static final String SIGNED = "pv=3&" + PROOFS;

    @Test
    void signed_whole_isReadInItsParts() {
        HandshakeQuery query = parse("pv=4&appv=2.1&ts=12&nonce=AbC._-0123456789xyz&aud=https%3A%2F%2Fhuddle.example"
                + "&id=st-2&cid=c-%C3%84rzte%221%22&signature=ab&cap=a,,+b&supersede=1&role=worker&empty=&bare");

        assertThat(query)
                .isEqualTo(new HandshakeQuery(
                        4,
                        null,
                        "2.1",
                        "12",
                        "AbC._-0123456789xyz",
                        "https://huddle.example",
                        "st-2",
                        "c-Ärzte\"1\"",
                        "ab",
                        true,
                        "a,, b",
                        Map.of("role", "worker", "empty", "", "bare", "")));
        assertThat(query.metadata().keySet()).containsExactly("role", "empty", "bare");
        assertThat(query.capabilitySet()).containsExactly("a", "b");
    }

    @Test
    void ticket_withTheVersionAlone_isEnough() {
        HandshakeQuery query = parse("pv=3&ticket=t0ken");

        assertThat(query.ticket()).isEqualTo("t0ken");
        assertThat(query.clientId()).isEmpty();
        assertThat(query.metadata()).isEmpty();
        assertThat(query.capabilitySet()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "pv=3, 3",
        "pv=4, 4",
        "_v=4, 4",
        "pv=3&_v=4, 3",
        "pv=3&_v=nonsense, 3",
        "_v=4&pv=3, 3",
        "m--pv=4, 4",
        "pv=3&m--pv=4, 3",
    })
    void version_inItsSpellings_isRead(String version, int protocol) {
        assertThat(parse(version + "&ticket=t").protocol()).isEqualTo(protocol);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "pv=", "pv=0", "pv=1", "pv=2", "pv=5", "pv=33", "pv=03", "pv=%2B3", "pv=x", "_v=2"})
    void version_missingOrNotSpoken_isInvalid(String version) {
        assertInvalid(() -> parse(version + "&ticket=t"), "pv");
        assertInvalid(() -> parse(version + "&" + PROOFS), "pv");
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    void version_old_isReadWhereSwitchedOnAndNeedsNoNonce(int protocol) {
        HandshakeQuery query =
                HandshakeQuery.parse("pv=" + protocol + "&appv=1&ts=12&id=st-1&cid=c-1&signature=ab", LEGACY);
        assertThat(query.protocol()).isEqualTo(protocol);
        assertInvalid(() -> HandshakeQuery.parse("pv=" + protocol + "&ticket=t", LEGACY), "ticket");
    }

    @ParameterizedTest
    @CsvSource({
        "'', false",
        "&supersede=1, true",
        "&supersede=0, false",
        "&_supersede=1, true",
        "&_supersede=0, false",
        "&_supersede=true, true",
        "&supersede=0&_supersede=1, false",
        "&supersede=1&_supersede=0, true",
    })
    void supersede_inItsSpellings_isRead(String flag, boolean supersede) {
        assertThat(parse(SIGNED + flag).supersede()).isEqualTo(supersede);
    }

    @Test
    void metadata_inTheOldSpelling_meansThePlainNameWhichWins() {
        assertThat(parse(SIGNED + "&m--role=worker").metadata()).isEqualTo(Map.of("role", "worker"));
        assertThat(parse(SIGNED + "&m--role=old&role=new").metadata()).isEqualTo(Map.of("role", "new"));
        assertThat(parse(SIGNED + "&role=new&m--role=old").metadata()).isEqualTo(Map.of("role", "new"));
        assertThat(parse(SIGNED + "&m--m--role=x").metadata()).isEqualTo(Map.of("m--role", "x"));
    }

    /** Another client id than the signed one must not get in through the old spelling. */
    @Test
    void systemParameter_inTheOldSpellingToo_isThePlainOne() {
        assertThat(parse(SIGNED + "&m--cid=c-other").clientId()).isEqualTo("c-badge-7");
        assertThat(parse(SIGNED + "&m--cid=c-other").metadata()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pv=3",
                "appv=1",
                "ts=12",
                "nonce=0123456789abcdef",
                "aud=x",
                "id=x",
                "cid=x",
                "signature=x",
                "cap=a&cap=a",
                "supersede=1&supersede=1",
                "_supersede=1&_supersede=1",
                "_v=3&_v=3",
                "c%69d=x",
                "role=a&role=a",
                "m--role=a&m--role=b"
            })
    void parameter_sentTwice_isInvalid(String second) {
        assertInvalid(() -> parse(SIGNED + "&" + second), "twice");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a=%",
                "a=%1",
                "a=%zz",
                "a=%+1",
                "a=%-1",
                "a=%C3",
                "a=%C3%28",
                "a=%C0%80",
                "a=%ED%A0%80",
                "a=%F4%90%80%80",
                "a=%FF",
                "%E4=1",
                "a=\u00e4",
                "a=b c",
                "a=\u0000",
                "a=%1\u0661",
                "a=\u007f"
            })
    void encoding_broken_isInvalid(String parameter) {
        assertInvalid(() -> parse(SIGNED + "&" + parameter), "UTF-8");
    }

    @Test
    void encoding_ofSpaceAndAstral_isRead() {
        assertThat(parse(SIGNED + "&a=b+c%20d%2Be&x=%F0%9F%98%80&n=%00").metadata())
                .isEqualTo(Map.of("a", "b c d+e", "x", "\ud83d\ude00", "n", "\u0000"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"appv", "ts", "nonce", "aud", "id", "cid", "signature"})
    void signed_withoutOneOfItsParts_isInvalid(String name) {
        assertInvalid(() -> parse(SIGNED.replaceFirst("&" + name + "=[^&]*", "")), name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ts", "nonce", "aud", "id", "cid", "signature"})
    void signed_withOneOfItsPartsEmpty_isInvalid(String name) {
        assertInvalid(() -> parse(SIGNED.replaceFirst("&" + name + "=[^&]*", "&" + name + "=")), name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1.5", "1e3", "%2B1", "x", "12345678901234567", "%D9%A1"})
    void timestamp_notDigits_isInvalid(String timestamp) {
        assertInvalid(() -> parse(SIGNED.replace("ts=1767225600000", "ts=" + timestamp)), "ts");
    }

    @Test
    void nonce_ofEachAllowedLength_isReadAndNoOther() {
        for (int length : new int[] {16, 17, 256}) {
            String nonce = "a".repeat(length);
            assertThat(parse(nonce(nonce)).nonce()).isEqualTo(nonce);
        }
        for (String nonce :
                new String[] {"a".repeat(15), "a".repeat(257), "a".repeat(16) + "%0A", "a".repeat(16) + ":"}) {
            assertInvalid(() -> parse(nonce(nonce)), "nonce");
        }
    }

    @Test
    void clientId_isMeasuredInBytes() {
        String longest = "c-" + "%C3%84".repeat(511);
        assertThat(parse(client(longest)).clientId()).hasSize(513);
        assertInvalid(() -> parse(client(longest + "x")), "1024");
        assertInvalid(() -> parse(SIGNED.replace("id=st-1", "id=" + "x".repeat(1_025))), "1024");
    }

    @Test
    void metadata_isMeasuredInBytesOfItsJson() {
        // {"m":"…"} has eight bytes around the value; a quote takes two.
        int room = 65_536 - 8;
        assertThat(parse(SIGNED + "&m=" + "x".repeat(room)).metadata().get("m")).hasSize(room);
        assertInvalid(() -> parse(SIGNED + "&m=" + "x".repeat(room + 1)), "65536");
        assertInvalid(() -> parse(SIGNED + "&m=" + "%22".repeat(room / 2 + 1)), "65536");
        assertInvalid(() -> parse("pv=3&ticket=t&m=" + "x".repeat(room + 1)), "65536");
    }

    @Test
    void ticketAndSignature_together_areInvalid() {
        assertInvalid(() -> parse(SIGNED + "&ticket=t"), "either");
        assertInvalid(() -> parse("pv=3&ticket="), "ticket");
    }

    @ParameterizedTest
    @ValueSource(strings = {"&supersede=2", "&supersede=yes", "&_supersede=x"})
    void supersede_ofAnotherValue_isInvalid(String flag) {
        assertInvalid(() -> parse(SIGNED + flag), "supersede");
    }

    @Test
    void query_missing_isInvalid() {
        assertInvalid(() -> HandshakeQuery.parse(null, LIMITS), "pv");
    }

    /** What was sent may be a secret, or somebody's name. */
    @Test
    void refusals_never_quoteAValue() {
        for (String query : new String[] {
            "pv=hush", SIGNED + "&supersede=hush", SIGNED + "&hush=%zz", SIGNED.replace("ts=1", "ts=hush")
        }) {
            try {
                parse(query);
            } catch (Refused refused) {
                assertThat(refused.detail()).doesNotContain("hush");
                continue;
            }
            throw new AssertionError("admitted");
        }
    }

    private static HandshakeQuery parse(String query) {
        return HandshakeQuery.parse(query, LIMITS);
    }

    private static String nonce(String nonce) {
        return SIGNED.replace("nonce=0123456789abcdef", "nonce=" + nonce);
    }

    private static String client(String client) {
        return SIGNED.replace("cid=c-badge-7", "cid=" + client);
    }
}
