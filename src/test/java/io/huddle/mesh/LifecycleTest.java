package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.mesh.Lifecycle.State;
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

    @ParameterizedTest
    @CsvSource({
        "true, true, true, ''",
        "false, true, true, redis does not answer",
        "true, false, false, no lease",
        "true, true, false, the registry has begun anew"
    })
    void readiness_whenTheMeshIsDegraded_saysWhy(boolean answers, boolean lease, boolean delivers, String why) {
        assertThat(MeshReadiness.degraded(answers, lease, delivers)).isEqualTo(why);
    }
}
