package io.huddle.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LatestTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final Latest<Integer> latest = new Latest<>(Duration.ofSeconds(15), nanos::get);

    @Test
    void value_beforeTheFirstReading_isUnknown() {
        assertThat(latest.value()).isEmpty();
    }

    @Test
    void value_ofTheLastReading_isShownAsLongAsItIsGood() {
        latest.put(1);
        latest.put(2);
        nanos.addAndGet(Duration.ofSeconds(15).toNanos());
        assertThat(latest.value()).hasValue(2);
        nanos.incrementAndGet();
        assertThat(latest.value()).isEmpty();
    }

    @Test
    void value_afterTheSourceFailed_isUnknownAtOnce() {
        latest.put(1);
        latest.forget();
        assertThat(latest.value()).isEmpty();
        latest.put(3);
        assertThat(latest.value()).hasValue(3);
    }
}
