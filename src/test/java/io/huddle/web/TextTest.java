package io.huddle.web;

import static io.huddle.web.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {
    @Test
    void checked_length_countsCodePoints() {
        assertThat(Text.checked("label", "🎧🎧🎧", 3)).isEqualTo("🎧🎧🎧");
        assertInvalid(() -> Text.checked("label", "🎧🎧🎧", 2), "label must have at most 2 characters");
        assertThat(Text.checked("label", "x".repeat(80), 80)).hasSize(80);
        assertInvalid(() -> Text.checked("label", "x".repeat(81), 80));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n", "\u2003"})
    void checked_blank_isInvalid(String text) {
        assertInvalid(() -> Text.checked("label", text, 80), "label must not be empty");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u0000", "a\nb", "a\rb", "\u001bx", "x\u007f", "x\u0085", "\ud83cx", "x\udfa7"})
    void checked_controlOrHalfASurrogate_isInvalid(String text) {
        assertInvalid(() -> Text.checked("label", text, 80), "label must not contain control characters");
    }

    @Test
    void participant_pseudonym_isKept() {
        assertThat(Text.participant("sub", "f81d4fae-7dec:11d0|x")).isEqualTo("f81d4fae-7dec:11d0|x");
        assertThat(Text.participant("sub", "p".repeat(Text.ID_LENGTH))).hasSize(Text.ID_LENGTH);
        assertInvalid(() -> Text.participant("sub", "p".repeat(Text.ID_LENGTH + 1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ada@clinic.example", "@", "Ada Lovelace", " ada", "ada\u00a0l", "ada\u3000l", "ada\u2028l"})
    void participant_mailOrName_isInvalid(String text) {
        assertInvalid(() -> Text.participant("sub", text), "sub must be pseudonymous");
    }
}
