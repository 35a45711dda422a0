package io.huddle.rollout;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What is enforced and what is only counted. Each stage enforces all that the one before does. Pure. */
public enum Stage {
    /** Nothing is enforced: generations and leases are computed beside the roster that is shown. */
    SHADOW,
    /** An older generation is refused. */
    FENCING,
    /** A lease that has run out ends its session. */
    LEASES,
    /** Drift raises alerts, too. */
    ALERTING;

    /** The name on the wire and in the database. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The stage of this name, if there is one. */
    public static Optional<Stage> named(String wire) {
        return Arrays.stream(values())
                .filter(stage -> stage.wire().equals(wire))
                .findFirst();
    }

    /** A stage that the database holds. */
    public static Stage of(String stored) {
        return valueOf(stored.toUpperCase(Locale.ROOT));
    }

    /** True if a command of an older generation is refused, and not only counted. */
    public boolean fencesGenerations() {
        return this != SHADOW;
    }

    /** True if a lease that has run out ends its session, and unexpired leases are the roster. */
    public boolean endsLeases() {
        return this == LEASES || this == ALERTING;
    }

    public boolean raisesAlerts() {
        return this == ALERTING;
    }
}
