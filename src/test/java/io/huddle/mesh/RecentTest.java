package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.registry.OrphanAccount;
import io.huddle.registry.RegistryUnavailable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class RecentTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);
    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void answer_withinASecond_isAskedForOnce() {
        Recent<Integer> recent =
                new Recent<>(() -> CompletableFuture.completedFuture(asked.incrementAndGet()), nanos::get);

        assertThat(recent.value()).hasValue(1);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(999));
        assertThat(recent.value()).hasValue(1);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));

        assertThat(recent.value()).hasValue(2);
    }

    @Test
    void source_failing_isEmptyAndAskedAgainAfterASecond() {
        Recent<Integer> recent = new Recent<>(
                () -> {
                    if (asked.incrementAndGet() == 1) {
                        throw new RegistryUnavailable("as ordered", new Throwable());
                    }
                    return asked.get() == 2
                            ? CompletableFuture.failedFuture(new RegistryUnavailable("as ordered", new Throwable()))
                            : CompletableFuture.completedFuture(asked.get());
                },
                nanos::get);

        assertThat(recent.value()).isEmpty();
        assertThat(recent.value()).isEmpty();
        assertThat(asked).hasValue(1);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(recent.value()).isEmpty();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(recent.value()).hasValue(3);
    }

    @Test
    void source_silent_isNotWaitedForForLong() {
        assertThat(new Recent<Integer>(CompletableFuture::new, nanos::get).value())
                .isEmpty();
    }

    @Test
    void age_ofTheOldest_isOnTheRegistrysClockAndZeroWithoutOne() {
        assertThat(OrphanMetrics.age(new OrphanAccount(1, 9, 5_000, 0, 0, 7_500)))
                .isEqualTo(2.5);
        assertThat(OrphanMetrics.age(new OrphanAccount(0, 0, 0, 0, 0, 7_500))).isZero();
        assertThat(OrphanMetrics.age(new OrphanAccount(1, 9, 7_600, 0, 0, 7_500)))
                .isZero();
    }
}
