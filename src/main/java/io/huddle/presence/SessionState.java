package io.huddle.presence;

import java.util.Locale;

/** How a participant's session in one room stands. Absent is the end of a generation, not of the session. */
public enum SessionState {
    PRESENT,
    SUSPECT,
    SUSPENDED,
    ABSENT;

    /** The name on the wire and in the database. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    static SessionState of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
