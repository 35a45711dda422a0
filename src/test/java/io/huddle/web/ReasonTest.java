package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ReasonTest {
    /** The container hands over Latin-1: "Übung" was refused for its second byte, "Störung" was audited as mojibake. */
    @Test
    void reason_sentInUtf8_isReadAsItWasTyped() {
        assertThat(Reason.need(asHandedOver("Übung beendet"))).isEqualTo("Übung beendet");
        assertThat(Reason.need(asHandedOver("Störung"))).isEqualTo("Störung");
    }

    @Test
    void reason_inLatin1_staysWhatItIs() {
        assertThat(Reason.need("Störung")).isEqualTo("Störung");
    }

    @Test
    void reason_missingOrTooLong_isRefused() {
        assertThat(Reason.parse(null)).isNull();
        assertThat(Reason.parse("  ")).isNull();
        assertThat(Reason.parse(asHandedOver("\u3000 \u00a0"))).isNull();
        assertThatThrownBy(() -> Reason.need(" ")).isInstanceOf(Refused.class);
        assertThatThrownBy(() -> Reason.parse("x".repeat(201))).isInstanceOf(Refused.class);
        assertThat(Reason.parse("x".repeat(200))).hasSize(200);
    }

    private static String asHandedOver(String typed) {
        return new String(typed.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
