package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.mesh.Lifecycle.State;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LifecycleTest {
    private final Lifecycle lifecycle = new Lifecycle();

    @ParameterizedTest
    @CsvSource({
        "false, false, false, STARTING",
        "true, false, false, READY",
        "false, false, true, FAILED",
        "true, false, true, FAILED",
        "false, true, false, DRAINING",
        "true, true, false, DRAINING",
        "false, true, true, DRAINING",
        "true, true, true, DRAINING"
    })
    void state_ofAStartingNode_followsFromWhatHolds(boolean lease, boolean draining, boolean failed, State expected) {
        assertThat(lifecycle.next(lease, draining, failed).isPresent()).isEqualTo(expected != State.STARTING);
        assertThat(lifecycle.state()).isEqualTo(expected);
        assertThat(lifecycle.next(lease, draining, failed)).as("told once").isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "STARTING, false, true",
        "READY, false, true",
        "DRAINING, false, false",
        "STOPPED, false, false",
        "READY, true, false",
        "FAILED, true, false"
    })
    void readiness_ofANode_isLostOnlyWhileItDrainsOrIsMisset(State state, boolean misset, boolean ready) {
        assertThat(MeshReadiness.isReady(state, misset)).isEqualTo(ready);
    }

    @Test
    void readyNode_withoutALease_staysReady() {
        assertThat(lifecycle.next(true, false, false)).contains(State.READY);
        assertThat(lifecycle.next(false, false, false)).isEmpty();
        assertThat(lifecycle.state()).isEqualTo(State.READY);
    }

    @Test
    void failedNode_whoseSettingIsRight_startsAgain() {
        assertThat(lifecycle.next(false, false, true)).contains(State.FAILED);
        assertThat(lifecycle.next(false, false, false)).contains(State.STARTING);
        assertThat(lifecycle.next(true, false, false)).contains(State.READY);
    }

    @Test
    void stoppingNode_isNeverReadyAgain() {
        assertThat(lifecycle.next(true, false, false)).contains(State.READY);
        lifecycle.stop();
        assertThat(lifecycle.next(true, false, false)).isEmpty();
        assertThat(lifecycle.state()).isEqualTo(State.DRAINING);
        lifecycle.stopped();
        assertThat(lifecycle.next(false, true, false)).isEmpty();
        assertThat(lifecycle.state().label()).isEqualTo("stopped");
    }

    /** Redis away also costs the lease, after a while: the first alone is no news to whoever is paged for the second. */
    @ParameterizedTest
    @CsvSource({
        "true, true, true, '', ''",
        "false, true, true, redis, redis does not answer",
        "true, false, false, lease, no lease",
        "false, false, false, 'redis, lease', 'redis does not answer, no lease'",
        "true, true, false, registry, the registry has begun anew",
        "false, true, false, 'redis, registry', 'redis does not answer, the registry has begun anew'"
    })
    void readiness_whenTheMeshIsDegraded_namesEveryPartAndWhy(
            boolean answers, boolean lease, boolean delivers, String parts, String why) {
        List<MeshReadiness.Part> degraded = MeshReadiness.degraded(answers, lease, delivers);
        assertThat(MeshReadiness.text(degraded, MeshReadiness.Part::label)).isEqualTo(parts);
        assertThat(MeshReadiness.text(degraded, MeshReadiness.Part::why)).isEqualTo(why);
    }

    @Test
    void node_toldToDrain_drainsOnceAndLives() {
        assertThat(lifecycle.next(true, false, false)).contains(State.READY);
        assertThat(lifecycle.drain(1)).isTrue();
        assertThat(lifecycle.drain(2)).as("idempotent").isFalse();
        assertThat(lifecycle.state()).isEqualTo(State.DRAINING);
        assertThat(lifecycle.next(true, false, false))
                .as("there is no way back")
                .isEmpty();
        assertThat(lifecycle.state()).isEqualTo(State.DRAINING);
        lifecycle.stop();
        lifecycle.stopped();
        assertThat(lifecycle.state()).isEqualTo(State.STOPPED);
    }

    @Test
    void drain_thatTakesTooLong_isToldOnce() {
        Duration most = Duration.ofSeconds(20);
        long begin = 5_000_000_000L;
        assertThat(lifecycle.isOverdue(Long.MAX_VALUE, most, false))
                .as("never told to")
                .isFalse();
        assertThat(lifecycle.drain(begin)).isTrue();
        assertThat(lifecycle.isOverdue(begin + most.toNanos(), most, false)).isFalse();
        assertThat(lifecycle.isOverdue(begin + most.toNanos() + 1, most, true)).isFalse();
        assertThat(lifecycle.isOverdue(begin + most.toNanos() + 1, most, false)).isTrue();
        assertThat(lifecycle.isOverdue(begin + 2 * most.toNanos(), most, false))
                .as("once")
                .isFalse();
    }
}
