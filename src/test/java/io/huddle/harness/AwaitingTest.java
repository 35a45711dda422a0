package io.huddle.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitingTest {
    @Test
    void until_neverTrue_namesWhatWasAwaited() {
        assertThatThrownBy(() -> Awaiting.until(Duration.ofMillis(200), "the other shoe", () -> false))
                .hasMessageContaining("the other shoe");
    }

    @Test
    void holds_trueAllTheTime_lastsThatLong() {
        AtomicInteger asked = new AtomicInteger();
        long start = System.nanoTime();
        Awaiting.holds(Duration.ofMillis(300), "calm", () -> asked.incrementAndGet() > 0);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        assertThat(asked.get()).isGreaterThan(3);
    }

    @Test
    void holds_onceFalse_failsThoughItHoldsAgain() {
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() -> Awaiting.holds(Duration.ofMillis(300), "calm", () -> asked.incrementAndGet() != 3))
                .hasMessageContaining("calm");
    }
}
