package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {
    @ParameterizedTest
    @ValueSource(strings = {"", "a", "\u007f\u0080", "\u07ff\u0800", "\uffff", "\ud83d\ude00", "a\ud800\udc00b", "\0"})
    void length_ofAnyText_isThatOfItsBytes(String text) {
        assertThat(Utf8.length(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
        assertThat(Utf8.exactLength(text)).isEqualTo(Utf8.length(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "a\ude00", "\ud83d\ud83d\ude00", "\ude00\ud83d"})
    void length_ofHalfAPair_isRefusedWhereItHasToBeExact(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Utf8.exactLength(text));
        String replaced = text.replaceAll(
                "(?<![\\ud800-\\udbff])[\\udc00-\\udfff]|[\\ud800-\\udbff](?![\\udc00-\\udfff])", "\ufffd");
        assertThat(Utf8.length(text)).isEqualTo(replaced.getBytes(StandardCharsets.UTF_8).length);
    }

    @Test
    void order_aboveTheBasicPlane_isThatOfTheBytes() {
        assertThat("\uff5e".compareTo("\ud83d\ude00")).isPositive();
        assertThat(Utf8.ORDER.compare("\uff5e", "\ud83d\ude00")).isNegative();
        assertThat(Utf8.ORDER.compare("a", "aa")).isNegative();
        assertThat(Utf8.ORDER.compare("a", "a")).isZero();
    }
}
