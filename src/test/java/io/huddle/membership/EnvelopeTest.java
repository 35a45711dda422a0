package io.huddle.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a broadcast looks like on its way. */
class EnvelopeTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "0",
                "\"text\"",
                "{\"b\":1.00,\"a\":9007199254740993,\"a\":[1e2]}",
                " { \"spaces\" : true } ",
                "{\"data\":{\"data\":\"}\"}}",
                "\"\\u00e4 ä \\\" \\\\\"",
                "\"\\ud83d\""
            })
    void data_ofAnyKind_arrivesAsTheSameText(String data) {
        Envelope sent = new Envelope("a", 1_800_000_000_000L, "p-1", data);
        assertThat(Envelope.decode(sent.encode())).contains(sent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"config.updated", "with \"quotes\" and \\ and ä", "\u0001\n", "\",\"number\":2", "{"})
    void type_ofAnyCharacters_arrives(String type) {
        Envelope sent = new Envelope(type, 1, "p-1", "1");
        assertThat(Envelope.decode(sent.encode())).contains(sent);
    }

    @Test
    void type_atItsLimits_isTakenOrRefused() {
        assertThat(Envelope.decode(new Envelope("\u0001".repeat(256), 1, "p", "1").encode()))
                .isPresent();
        for (String type : new String[] {"", "x".repeat(257)}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new Envelope(type, 1, "p", "1").encode());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{}{}", "1 2", "undefined", "{\"a\":1},\"b\":2", "\"\ud83d\""})
    void data_thatIsNoJson_isRefused(String data) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Envelope("a", 1, "p", data).encode());
    }

    @Test
    void size_countsBytesOfAllOfIt() {
        int head = new Envelope("a", 1, "p", "\"\"").encode().length();
        int room = Envelope.MOST_BYTES - head;
        String most = new Envelope("a", 1, "p", "\"" + "x".repeat(room) + "\"").encode();
        assertThat(most).hasSize(Envelope.MOST_BYTES);
        assertThat(Envelope.decode(most)).isPresent();
        assertThat(Envelope.decode(most.replace("xx}", "xxx}").replace("xx\"", "xxx\"")))
                .isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Envelope("a", 1, "p", "\"" + "x".repeat(room + 1) + "\"").encode());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Envelope("a", 1, "p", "\"" + "ä".repeat(room / 2 + 1) + "\"").encode());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "nonsense",
                "[1]",
                "{\"protocol\":2,\"type\":\"a\",\"number\":1,\"process\":\"p\",\"data\":1}",
                "{\"protocol\":1,\"type\":\"a\",\"number\":0,\"process\":\"p\",\"data\":1}",
                "{\"protocol\":1,\"type\":\"a\",\"number\":-1,\"process\":\"p\",\"data\":1}",
                "{\"protocol\":1,\"type\":\"a\",\"number\":1,\"process\":\"P Q\",\"data\":1}",
                "{\"protocol\":1,\"type\":\"\",\"number\":1,\"process\":\"p\",\"data\":1}",
                "{\"protocol\":1,\"type\":\"\\x\",\"number\":1,\"process\":\"p\",\"data\":1}",
                "{\"protocol\":1,\"type\":\"a\",\"number\":1,\"process\":\"p\",\"data\":}",
                "{\"protocol\":1,\"type\":\"a\",\"number\":1,\"process\":\"p\",\"data\":1",
                "{\"protocol\":1,\"type\":\"a\",\"number\":1,\"process\":\"p\",\"data\":1}}",
                "{\"protocol\":1,\"type\":\"a\",\"number\":1,\"process\":\"p\",\"data\":1,\"more\":2}",
                "{\"protocol\":1,\"type\":1,\"number\":1,\"process\":\"p\",\"data\":1}"
            })
    void text_thatIsNoEnvelope_isNone(String text) {
        assertThat(Envelope.decode(text)).isEmpty();
    }

    @Test
    void type_tooLongOnArrival_isNone() {
        String text = new Envelope("a", 1, "p", "1").encode().replace("\"a\"", "\"" + "x".repeat(257) + "\"");
        assertThat(Envelope.decode(text)).isEmpty();
    }
}
