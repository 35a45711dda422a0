package io.huddle.web;

import static io.huddle.web.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTest {
    @Test
    void size_missing_isFifty() {
        assertThat(Page.size(null)).isEqualTo(50);
    }

    @Test
    void size_bounds_areInclusive() {
        assertThat(Page.size("1")).isEqualTo(1);
        assertThat(Page.size("200")).isEqualTo(200);
        assertInvalid(() -> Page.size("0"), "limit must be a whole number from 1 to 200");
        assertInvalid(() -> Page.size("201"), "limit must be a whole number from 1 to 200");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "x", "1.0", "1e1", "-1", "+1", " 1", "9223372036854775808", "0x1", "\u0663"})
    void number_notPlainDigits_isInvalid(String text) {
        assertInvalid(() -> Page.number("after", text, 0, Long.MAX_VALUE), "after must be a whole number");
    }

    @Test
    void number_missing_isNamed() {
        assertInvalid(() -> Page.number("generation", null, 1, 2), "generation is missing");
    }

    @Test
    void filter_text_isChecked() {
        assertThat(Page.filter("team", null)).isNull();
        assertThat(Page.filter("team", "icu")).isEqualTo("icu");
        assertInvalid(() -> Page.filter("team", ""));
        assertInvalid(() -> Page.filter("team", "a\u0000"));
        assertInvalid(() -> Page.filter("team", "x".repeat(201)));
    }
}
