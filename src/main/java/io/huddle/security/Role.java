package io.huddle.security;

import java.util.Locale;

/** The roles of the design, one a token group. */
public enum Role {
    /** Uses rooms of its teams and acts for itself. */
    PARTICIPANT,
    /** Acts for every participant of its teams. */
    INTEGRATOR,
    /** Sees everything, closes and removes, with a reason; never joins. */
    OPERATOR;

    /** The group in the token. */
    public String group() {
        return name().toLowerCase(Locale.ROOT);
    }
}
