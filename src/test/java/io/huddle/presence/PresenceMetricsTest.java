package io.huddle.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Injected;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Timer;
import org.junit.jupiter.api.Test;

/** What becomes a ghost, decided after the commit. The exported names are the business of the integration tests. */
class PresenceMetricsTest {
    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");

    private final List<String> measured = new ArrayList<>();
    private final PresenceMetrics metrics = new PresenceMetrics();

    PresenceMetricsTest() {
        Injected.into(metrics, "registry", registry());
    }

    @Test
    void removal_ofADriftingSession_isAGhostSinceItsLastProofOfLife() {
        metrics.removed(new Sessions.Removed(NOON, NOON.plusSeconds(95), true, false));
        assertThat(measured).containsExactly("huddle_ghost PT1M35S");
    }

    @Test
    void removal_ofAnyOther_isNoGhost() {
        metrics.removed(new Sessions.Removed(NOON, NOON.plusSeconds(95), false, false));
        metrics.removed(new Sessions.Removed(NOON, NOON.plusSeconds(95), true, true));
        assertThat(measured).isEmpty();
    }

    @Test
    void expiry_isAGhostAndHasALag_butNotInASyntheticRoom() {
        metrics.expired(new Sessions.Expired(NOON.plusSeconds(15), NOON, NOON.plusMillis(15_200), false));
        assertThat(measured).containsExactlyInAnyOrder("huddle_ghost PT15.2S", "huddle_expiry_lag PT0.2S");
        measured.clear();
        metrics.expired(new Sessions.Expired(NOON.plusSeconds(15), NOON, NOON.plusMillis(15_200), true));
        assertThat(measured).isEmpty();
    }

    /** Knows timers only; anything else that is asked of it is a defect of the test. */
    private MetricRegistry registry() {
        return (MetricRegistry) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricRegistry.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("timer");
                    return timer(((Metadata) arguments[0]).getName());
                });
    }

    private Timer timer(String name) {
        return (Timer) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Timer.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("update");
                    measured.add(name + " " + (Duration) arguments[0]);
                    return null;
                });
    }
}
