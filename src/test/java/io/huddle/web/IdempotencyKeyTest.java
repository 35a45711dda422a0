package io.huddle.web;

import static io.huddle.web.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {
    @Test
    void parse_missingOrBlank_isNone() {
        assertThat(IdempotencyKey.parse(null)).isNull();
        assertThat(IdempotencyKey.parse("")).isNull();
        assertThat(IdempotencyKey.parse(" \t")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "abc, abc",
                "` abc `, abc",
                "`\"abc\"`, abc",
                "` \"abc\" `, abc",
                "`\"a\\\"b\"`, `a\"b`",
                "`\"a\\\\b\"`, `a\\b`",
                "`a\"b`, `a\"b`",
                "`a\\b`, `a\\b`",
                "`8e03978e-40d5-43e8-bc93-6894a57f9324`, 8e03978e-40d5-43e8-bc93-6894a57f9324",
                "`!~`, !~"
            })
    void parse_bareOrQuoted_isTheSameKey(String header, String key) {
        assertThat(IdempotencyKey.parse(header)).isEqualTo(new IdempotencyKey(key));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"", "\"\"", "\"abc", "\"abc\"x", "\"abc\" x", "\"abc\";p=1", "\"a\"b\"", "\"abc\\", "\"abc\\\"",
                "\"a\\bc\"", "\"a b\"", "a b", "a\tb", "a, b", "caf\u00e9", "\"caf\u00e9\"", "a\u0000", "a\u007f",
                "\u00a0x", "🎧"
            })
    void parse_malformed_isInvalid(String header) {
        assertInvalid(() -> IdempotencyKey.parse(header), "Idempotency-Key must be 1 to 255 visible ASCII characters");
    }

    @Test
    void parse_255Characters_isTheLongest() {
        String longest = "k".repeat(255);
        assertThat(IdempotencyKey.parse(longest)).isEqualTo(new IdempotencyKey(longest));
        assertThat(IdempotencyKey.parse('"' + longest + '"')).isEqualTo(new IdempotencyKey(longest));
        assertThat(IdempotencyKey.parse('"' + "\\\"".repeat(255) + '"'))
                .isEqualTo(new IdempotencyKey("\"".repeat(255)));
        assertInvalid(() -> IdempotencyKey.parse(longest + "k"));
        assertInvalid(() -> IdempotencyKey.parse('"' + longest + "k\""));
    }
}
