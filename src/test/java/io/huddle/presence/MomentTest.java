package io.huddle.presence;

import static io.huddle.presence.Seats.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MomentTest {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    @Test
    void moment_beatWithinTheLimit_isNotStale() {
        assertThat(withBeat(NOW).isStale(LIMIT)).isFalse();
        assertThat(withBeat(NOW.minus(LIMIT)).isStale(LIMIT)).isFalse();
    }

    @Test
    void moment_beatOlderThanTheLimit_isSilentAndStale() {
        Moment moment = withBeat(NOW.minus(LIMIT).minusNanos(1));
        assertThat(moment.isSilent(LIMIT)).isTrue();
        assertThat(moment.isAhead()).isFalse();
        assertThat(moment.isStale(LIMIT)).isTrue();
    }

    @Test
    void moment_beatUpToOneSecondAhead_isNoStepBack() {
        assertThat(withBeat(NOW.plusSeconds(1)).isStale(LIMIT)).isFalse();
    }

    @Test
    void moment_beatFurtherAhead_isAheadAndStale() {
        Moment moment = withBeat(NOW.plusSeconds(1).plusNanos(1));
        assertThat(moment.isAhead()).isTrue();
        assertThat(moment.isSilent(LIMIT)).isFalse();
        assertThat(moment.isStale(LIMIT)).isTrue();
    }

    @Test
    void notAfter_clockSteppedBack_judgesByTheClock() {
        Moment written = withBeat(NOW);
        assertThat(written.notAfter(NOW.plusSeconds(1))).isEqualTo(written);
        assertThat(written.notAfter(NOW)).isEqualTo(written);
        assertThat(written.notAfter(NOW.minusSeconds(1)))
                .isEqualTo(new Moment(NOW.minusSeconds(1), NOW, Instant.EPOCH));
    }

    private static Moment withBeat(Instant beat) {
        return new Moment(NOW, beat, Instant.EPOCH);
    }
}
