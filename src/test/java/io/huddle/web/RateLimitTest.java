package io.huddle.web;

import static io.huddle.web.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RateLimitTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void bucket_fresh_holdsItsBurstAndNoMore() {
        TokenBucket bucket = new TokenBucket(10, 3, 0);
        assertThat(taken(bucket, 0, 10)).isEqualTo(3);
    }

    @Test
    void bucket_overTime_fillsAtItsRate() {
        TokenBucket bucket = new TokenBucket(10, 3, 0);
        taken(bucket, 0, 3);
        assertThat(bucket.take(SECOND / 10 - 1)).isFalse();
        assertThat(bucket.take(SECOND / 10)).isTrue();
        assertThat(bucket.take(SECOND / 10)).isFalse();
    }

    @Test
    void bucket_longIdle_fillsToItsBurstOnly() {
        TokenBucket bucket = new TokenBucket(10, 3, 0);
        taken(bucket, 0, 3);
        assertThat(taken(bucket, 3_600 * SECOND, 10)).isEqualTo(3);
    }

    @Test
    void bucket_readingsThatOvertakeEachOther_giveNothingAway() {
        // Two threads read the clock in one order and take in the other.
        TokenBucket bucket = new TokenBucket(10, 3, 0);
        taken(bucket, 0, 3);
        int given = 0;
        for (int i = 1; i <= 100; i++) {
            given += bucket.take(SECOND) ? 1 : 0;
            given += bucket.take(SECOND - SECOND / 5) ? 1 : 0;
        }
        assertThat(given).isLessThanOrEqualTo(10);
    }

    @Test
    void bucket_clockThatStartsNegative_works() {
        long start = Long.MIN_VALUE + 5;
        TokenBucket bucket = new TokenBucket(1, 1, start);
        assertThat(bucket.take(start)).isTrue();
        assertThat(bucket.take(start + SECOND)).isTrue();
    }

    @Test
    void limit_oneSubject_doesNotTouchAnother() {
        RateLimit limit = new RateLimit(1, 2);
        limit.take("a");
        limit.take("a");
        assertRefused(Refusal.TOO_MANY_REQUESTS, () -> limit.take("a"), "at most 1 requests a second");
        limit.take("b");
    }

    @Test
    void limit_manySubjects_forgetsTheLongestUnseen() {
        RateLimit limit = new RateLimit(1, 1);
        limit.take("first");
        for (int i = 0; i < 50_000; i++) {
            limit.take("s" + i);
        }
        // Forgotten, so it has a burst again; the youngest are remembered.
        limit.take("first");
        assertRefused(Refusal.TOO_MANY_REQUESTS, () -> limit.take("s49999"));
    }

    private static int taken(TokenBucket bucket, long now, int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += bucket.take(now) ? 1 : 0;
        }
        return taken;
    }
}
