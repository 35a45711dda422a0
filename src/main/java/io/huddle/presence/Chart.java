package io.huddle.presence;

import java.time.Duration;
import java.util.Locale;

/** What the console can draw of the last hour. */
public enum Chart {
    /** How many sessions there were, a line for each state. */
    SESSIONS("sessions", true, 15),
    /** How many events were written in each minute, a line for each kind. */
    TRANSITIONS("events", true, 60),
    /** How long after the heartbeat interval the renewals came that this node took. */
    RENEWAL_LATENESS("seconds", false, 15),
    /** Since the oldest last proof of life. */
    OLDEST_UNRENEWED_LEASE("seconds", true, 15);

    private final String unit;
    private final boolean ofTheCluster;
    private final Duration step;

    Chart(String unit, boolean ofTheCluster, int stepSeconds) {
        this.unit = unit;
        this.ofTheCluster = ofTheCluster;
        this.step = Duration.ofSeconds(stepSeconds);
    }

    /** The name on the wire, for instance {@code renewal-lateness}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String unit() {
        return unit;
    }

    /** False for what each node knows of itself alone. */
    public boolean isOfTheCluster() {
        return ofTheCluster;
    }

    public Duration step() {
        return step;
    }
}
