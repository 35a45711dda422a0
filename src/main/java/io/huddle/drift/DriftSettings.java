package io.huddle.drift;

import io.huddle.setting.Setting;
import java.time.Duration;

/** The configured thresholds, and how often a node looks. */
final class DriftSettings {
    private static final Duration LONGEST_TICK = Duration.ofMillis(500);
    private static final int TICKS_A_WINDOW = 8;

    private DriftSettings() {}

    static Thresholds thresholds() {
        return new Thresholds(
                Duration.ofSeconds(Setting.ALERT_WINDOW_SECONDS.value()),
                Duration.ofSeconds(Setting.OBSERVATION_FRESH_SECONDS.value()),
                Setting.ALERT_SUSPECTS.value(),
                Setting.ALERT_REJECTIONS.value(),
                Setting.ALERT_DIVERGENT_WINDOWS.value(),
                Setting.ALERT_OF_WINDOWS.value(),
                Setting.ALERT_CLEAN_WINDOWS.value(),
                Setting.ALERT_PAGE_ROOMS.value(),
                Setting.ALERT_PAGE_WINDOWS.value());
    }

    /** Between two looks for a window that is due, and between two writings of what was counted. */
    static Duration tick(Thresholds thresholds) {
        Duration share = thresholds.window().dividedBy(TICKS_A_WINDOW);
        return share.compareTo(LONGEST_TICK) < 0 ? share : LONGEST_TICK;
    }

    /** After the end of a window: two ticks, within which every node has written what it counted. */
    static Duration delay(Thresholds thresholds) {
        return tick(thresholds).multipliedBy(2);
    }
}
