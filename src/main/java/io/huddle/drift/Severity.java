package io.huddle.drift;

import java.util.Arrays;
import java.util.Locale;

/** What an alert asks of the people on call. */
public enum Severity {
    INVESTIGATE,
    PAGE;

    /** The name in SQL, JSON and metrics. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Severity of(String wire) {
        return Arrays.stream(values())
                .filter(severity -> severity.wire().equals(wire))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no severity is called " + wire));
    }
}
