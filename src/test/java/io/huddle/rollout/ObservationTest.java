package io.huddle.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObservationTest {
    private static final Instant NOW = Instant.parse("2026-11-30T09:00:00Z");

    private static Observation read(String json) {
        return Observation.read(RequestBody.parse(json.getBytes(StandardCharsets.UTF_8)));
    }

    private static Instant observed(@Nullable Instant said) {
        return Observation.observed(said, NOW, Duration.ofSeconds(300), Duration.ofSeconds(30));
    }

    @Test
    void body_ofTheContract_isRead() {
        Observation read =
                read("{\"source\":\"sfu 1\",\"observedAt\":\"2026-11-30T10:00:00.5+01:00\",\"participants\":["
                        + "{\"participant\":\"b\",\"media\":\"gone\"},{\"participant\":\"a\",\"media\":\"flowing\"}]}");
        assertThat(read.source()).isEqualTo("sfu 1");
        assertThat(read.observedAt()).isEqualTo(NOW.plusMillis(500));
        assertThat(read.participants().toString()).isEqualTo("{a=FLOWING, b=GONE}");
        assertThat(read("{\"source\":\"s\",\"participants\":[]}").observedAt()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"participants\":[]}",
                "{\"source\":\"\",\"participants\":[]}",
                "{\"source\":1,\"participants\":[]}",
                "{\"source\":\"s\"}",
                "{\"source\":\"s\",\"participants\":null}",
                "{\"source\":\"s\",\"participants\":{}}",
                "{\"source\":\"s\",\"participants\":[\"a\"]}",
                "{\"source\":\"s\",\"participants\":[null]}",
                "{\"source\":\"s\",\"participants\":[{\"participant\":\"a\"}]}",
                "{\"source\":\"s\",\"participants\":[{\"media\":\"gone\"}]}",
                "{\"source\":\"s\",\"participants\":[{\"participant\":\"a\",\"media\":\"GONE\"}]}",
                "{\"source\":\"s\",\"participants\":[{\"participant\":\"a@b\",\"media\":\"gone\"}]}",
                "{\"source\":\"s\",\"participants\":[{\"participant\":\"a b\",\"media\":\"gone\"}]}",
                "{\"source\":\"s\",\"participants\":[{\"participant\":\"a\",\"media\":\"gone\",\"name\":\"Ada\"}]}",
                "{\"source\":\"s\",\"participants\":[{\"participant\":\"a\",\"media\":\"gone\"},"
                        + "{\"participant\":\"a\",\"media\":\"silent\"}]}",
                "{\"source\":\"s\",\"participants\":[],\"more\":1}",
                "{\"source\":\"s\",\"participants\":[],\"observedAt\":\"yesterday\"}",
                "{\"source\":\"s\",\"participants\":[],\"observedAt\":\"2026-11-30T09:00:00\"}",
                "{\"source\":\"s\",\"participants\":[],\"observedAt\":1796025600}"
            })
    void body_ofAnythingElse_isInvalid(String json) {
        assertInvalid(() -> read(json));
    }

    @Test
    void participants_moreThanTheBound_areInvalid() {
        assertThat(read(many(200)).participants()).hasSize(200);
        assertInvalid(() -> read(many(201)));
    }

    private static String many(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"participant\":\"p" + i + "\",\"media\":\"silent\"}")
                .collect(Collectors.joining(",", "{\"source\":\"s\",\"participants\":[", "]}"));
    }

    @Test
    void time_missingOrALittleAhead_isNow() {
        assertThat(observed(null)).isEqualTo(NOW);
        assertThat(observed(NOW)).isEqualTo(NOW);
        assertThat(observed(NOW.plusSeconds(30))).isEqualTo(NOW);
        assertThat(observed(NOW.minusSeconds(300))).isEqualTo(NOW.minusSeconds(300));
    }

    @Test
    void time_outOfBounds_isInvalid() {
        assertInvalid(() -> observed(NOW.plusSeconds(30).plusNanos(1)));
        assertInvalid(() -> observed(NOW.minusSeconds(300).minusNanos(1)));
        assertInvalid(() -> observed(Instant.EPOCH));
    }

    private static void assertInvalid(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.refusal()).isEqualTo(Refusal.INVALID_REQUEST));
    }
}
