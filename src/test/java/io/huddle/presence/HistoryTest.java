package io.huddle.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.room.RoomState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private static final Duration STEP = Duration.ofSeconds(15);
    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");

    @Test
    void step_ofAnInstant_isItsBeginning() {
        assertThat(History.step(NOON, STEP)).isEqualTo(NOON);
        assertThat(History.step(NOON.plusMillis(14_999), STEP)).isEqualTo(NOON);
        assertThat(History.step(NOON.plusSeconds(15), STEP)).isEqualTo(NOON.plusSeconds(15));
        assertThat(History.step(Instant.ofEpochSecond(-1), STEP)).isEqualTo(Instant.ofEpochSecond(-15));
    }

    @Test
    void value_ofAStep_isOfAllThatWasPutIntoIt() {
        History<Lateness> history = new History<>();
        history.put(NOON, Lateness.NONE.and(Duration.ofMillis(250)), Lateness::and);
        history.put(NOON, Lateness.NONE.and(Duration.ofSeconds(2)).and(Duration.ZERO), Lateness::and);
        assertThat(history.at(NOON)).isEqualTo(new Lateness(3, 2.25, 2));
        assertThat(new Lateness(3, 2.25, 2).meanSeconds()).isEqualTo(0.75);
        assertThat(Lateness.NONE.meanSeconds()).isZero();
        assertThat(history.at(NOON.plus(STEP))).isNull();
    }

    @Test
    void keep_dropsThePastAndTheFuture() {
        History<Integer> history = new History<>();
        for (int i = 0; i < 10; i++) {
            history.put(NOON.plus(STEP.multipliedBy(i)), i, (one, other) -> other);
        }
        history.keep(NOON.plus(STEP.multipliedBy(2)), NOON.plus(STEP.multipliedBy(7)));
        assertThat(history.size()).isEqualTo(6);
        assertThat(history.at(NOON.plus(STEP))).isNull();
        assertThat(history.at(NOON.plus(STEP.multipliedBy(2)))).isEqualTo(2);
        assertThat(history.at(NOON.plus(STEP.multipliedBy(7)))).isEqualTo(7);
        assertThat(history.at(NOON.plus(STEP.multipliedBy(8)))).isNull();
    }

    @Test
    void steps_ofSomeMinutes_endWithTheOneUnderWay() {
        Instant now = NOON.plusSeconds(7);
        List<Instant> steps = Chronicle.steps(now.minus(Duration.ofMinutes(1)), now, STEP);
        assertThat(steps).containsExactly(NOON.minusSeconds(45), NOON.minusSeconds(30), NOON.minusSeconds(15), NOON);
        assertThat(Chronicle.steps(now.minus(Duration.ofHours(1)), now, Duration.ofMinutes(1)))
                .hasSize(60)
                .startsWith(NOON.minus(Duration.ofMinutes(59)))
                .endsWith(NOON);
    }

    @Test
    void headcount_ofWhatWasNotCounted_hasNoValue_andOfNobodyIsZero() {
        Headcount count = new Headcount(NOON, Map.of(RoomState.OPEN, 3L), Map.of(SessionState.PRESENT, 2L), 1.5);
        assertThat(count.rooms(RoomState.OPEN)).isEqualTo(3);
        assertThat(count.rooms(RoomState.CLOSED)).isNaN();
        assertThat(count.sessions(SessionState.PRESENT)).isEqualTo(2);
        assertThat(count.sessions(SessionState.SUSPECT)).isZero();
    }
}
