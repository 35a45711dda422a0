package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    void delay_growsWithEachFailureUpToItsBound_andIsSpreadOverAHalf() {
        long[] most = {500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000};
        for (int failures = 0; failures < most.length; failures++) {
            assertThat(Backoff.delay(Timing.PROTOCOL, failures, 0)).isEqualTo(Duration.ofMillis(most[failures] / 2));
            assertThat(Backoff.delay(Timing.PROTOCOL, failures, 1)).isEqualTo(Duration.ofMillis(most[failures]));
        }
        assertThat(Backoff.delay(Timing.PROTOCOL, Integer.MAX_VALUE, 1)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void told_reason_isMillisecondsWithinBounds() {
        assertThat(Backoff.told("1500")).hasValue(1_500);
        assertThat(Backoff.told("0")).hasValue(0);
        assertThat(Backoff.told("999999999")).hasValue(300_000);
        assertThat(Backoff.told("")).isEmpty();
        assertThat(Backoff.told("soon")).isEmpty();
    }
}
