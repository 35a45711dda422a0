package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonShapesTest {
    /** A shape as the resources have them. */
    public record Shape(
            String id,
            @Nullable String label,
            @Nullable Instant closedAt,
            Instant at,
            long seq,
            boolean critical,
            List<String> items) {}

    @ParameterizedTest
    @CsvSource({
        "2026-11-30T09:00:00Z, 2026-11-30T09:00:00.000Z",
        "2026-11-30T09:00:00.9999999Z, 2026-11-30T09:00:00.999Z",
        "2026-11-30T09:00:00.000999999Z, 2026-11-30T09:00:00.000Z",
        "2026-11-30T23:59:59.999999999Z, 2026-11-30T23:59:59.999Z",
        "2026-11-30T09:00:00.120Z, 2026-11-30T09:00:00.120Z",
        "1969-12-31T23:59:59.999999999Z, 1969-12-31T23:59:59.999Z"
    })
    void time_fractions_areCutAndNotRounded(Instant instant, String text) {
        assertThat(JsonShapes.time(instant)).isEqualTo(text);
        assertThat(new JsonShapes.Milliseconds().adaptToJson(instant)).isEqualTo(text);
    }

    @Test
    void time_ofAnyInstant_isWhatThePlatformFormats() {
        DateTimeFormatter platform =
                DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        long first = Instant.parse("-0010-01-01T00:00:00Z").getEpochSecond();
        long end = Instant.parse("+10010-01-01T00:00:00Z").getEpochSecond();
        for (int i = 0; i < 20_000; i++) {
            Instant instant = Instant.ofEpochSecond(random.nextLong(first, end), random.nextInt(1_000_000_000));
            assertThat(JsonShapes.time(instant))
                    .as("seed %d, %s", seed, instant)
                    .isEqualTo(platform.format(instant));
        }
    }

    @Test
    void json_membersWithoutValue_areLeftOut() {
        Instant at = Instant.parse("2026-11-30T09:00:00.123456Z");
        assertThat(JsonShapes.json(new Shape("r-1", null, null, at, 7, false, List.of())))
                .isEqualTo(
                        "{\"at\":\"2026-11-30T09:00:00.123Z\",\"critical\":false,\"id\":\"r-1\",\"items\":[],\"seq\":7}");
    }

    @Test
    void json_text_isEscaped() {
        Instant at = Instant.EPOCH;
        assertThat(JsonShapes.json(new Shape("r-1", "a\"\n</script>🎧", at, at, 7, true, List.of("x"))))
                .contains("\"label\":\"a\\\"\\n</script>🎧\"", "\"closedAt\":\"1970-01-01T00:00:00.000Z\"")
                .doesNotContain("\n");
    }
}
