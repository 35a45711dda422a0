package io.huddle.drift;

import java.time.Instant;
import java.util.List;

/**
 * What the webhook gets, in the form that Standard Webhooks asks for.
 *
 * @param type {@code alerts.opened}, {@code alerts.escalated} or {@code alerts.closed}
 */
public record AlertMessage(String type, Instant timestamp, Data data) {
    /**
     * The alerts of one group that changed in the same way in one window.
     *
     * @param total how many they are
     * @param alerts the first of them
     */
    public record Data(String group, int total, List<AlertJson> alerts) {}
}
