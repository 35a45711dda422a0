package io.huddle.drift;

import static io.huddle.drift.Scenes.DEFAULTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.setting.Configured;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThresholdsTest {
    @Test
    void version_ofTheDefaults_isTheSameForEver() {
        assertThat(DriftSettings.thresholds()).isEqualTo(DEFAULTS);
        assertThat(DEFAULTS.text())
                .isEqualTo("window-seconds=15 evidence-seconds=30 suspects=3 rejections=5 divergent-windows=3"
                        + " of-windows=4 clean-windows=2 page-rooms=3 page-windows=4");
        assertThat(DEFAULTS.version()).matches("[0-9a-f]{12}");
    }

    /** A threshold that changes without its version looks like rooms that have become better. */
    @Test
    void version_changesWithEverySetting() {
        Set<String> versions = new HashSet<>(Set.of(DEFAULTS.version()));
        Map<String, String> others = Map.of(
                "huddle.alerts.window-seconds", "16",
                "huddle.observations.fresh-seconds", "31",
                "huddle.alerts.suspects", "4",
                "huddle.alerts.rejections", "6",
                "huddle.alerts.divergent-windows", "2",
                "huddle.alerts.of-windows", "5",
                "huddle.alerts.clean-windows", "3",
                "huddle.alerts.page-rooms", "4",
                "huddle.alerts.page-windows", "5");
        others.forEach((name, value) -> Configured.with(
                Map.of(name, value),
                () -> assertThat(versions.add(DriftSettings.thresholds().version()))
                        .as(name)
                        .isTrue()));
    }

    @ParameterizedTest
    @CsvSource({
        "12:00:15.999, 11:59:45",
        "12:00:16.000, 12:00:00",
        "12:00:30.999, 12:00:00",
        "12:00:31.000, 12:00:15",
    })
    void window_isDueASecondAfterItsEnd(String now, String start) {
        Window due = Window.due(
                Instant.parse("2026-11-30T" + now + "Z"), Duration.ofSeconds(15), DriftSettings.delay(DEFAULTS));
        assertThat(due.start()).isEqualTo(Instant.parse("2026-11-30T" + start + "Z"));
        assertThat(due.back(3).start()).isEqualTo(due.start().minusSeconds(45));
    }

    @Test
    void tick_ofAShortWindow_isAShareOfIt() {
        Configured.with(Map.of("huddle.alerts.window-seconds", "1"), () -> {
            Thresholds short1 = DriftSettings.thresholds();
            assertThat(DriftSettings.tick(short1)).isEqualTo(Duration.ofMillis(125));
            assertThat(DriftSettings.delay(short1)).isEqualTo(Duration.ofMillis(250));
        });
        assertThat(DriftSettings.tick(DEFAULTS)).isEqualTo(Duration.ofMillis(500));
    }
}
