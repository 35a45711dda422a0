package io.huddle.web;

import static io.huddle.web.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorTest {
    @Test
    void text_andBack_keepsMicroseconds() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            Cursor cursor = new Cursor(
                    Instant.ofEpochSecond(random.nextInt(Integer.MAX_VALUE), random.nextInt(1_000_000) * 1_000L),
                    Ids.make('r'));
            assertThat(Cursor.parse(cursor.text())).isEqualTo(cursor);
            assertThat(cursor.text()).matches("[A-Za-z0-9_-]+");
        }
    }

    @Test
    void parse_missingOrEmpty_isTheFirstPage() {
        assertThat(Cursor.parse(null)).isNull();
        assertThat(Cursor.parse("")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"!", "a", "====", "AAAA", "🎧", "MSxyLTE=\n", "' OR 1=1 --", "MTIz"})
    void parse_notOurs_isInvalid(String text) {
        assertInvalid(() -> Cursor.parse(text), "cursor must be the value of 'next'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",",
                "1",
                ",r-1",
                "1,",
                "x,r-1",
                "1.5,r-1",
                "9223372036854775808,r-1",
                "1,a\u0000b",
                "1, ",
                // Times that no database has: PostgreSQL fails on what lies before 4713 BC.
                "-1,r-1",
                "-9223372036854775808,r-1"
            })
    void parse_forged_isInvalid(String plain) {
        String text = Base64.getUrlEncoder().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
        assertInvalid(() -> Cursor.parse(text), "cursor must be the value of 'next'");
    }

    @Test
    void parse_forgedWithALongId_isInvalid() {
        String plain = "1," + "r".repeat(Text.ID_LENGTH + 1);
        String text = Base64.getUrlEncoder().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
        assertInvalid(() -> Cursor.parse(text));
    }

    @Test
    void parse_randomText_isACursorOrInvalid() {
        Random random = new Random(2);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            String text = Base64.getUrlEncoder().encodeToString(bytes);
            try {
                Cursor.parse(text);
            } catch (Refused refused) {
                assertThat(refused.refusal()).isEqualTo(Refusal.INVALID_REQUEST);
            }
        }
    }
}
