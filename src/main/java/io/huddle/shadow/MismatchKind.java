package io.huddle.shadow;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** In which way the two rosters of a room differ. A closed set, which labels a metric. Pure. */
public enum MismatchKind {
    /** Shown, and its lease has run out: leases would remove it. */
    SHOWN_WITHOUT_LEASE,
    /** Its lease runs, and it is not shown: leases would keep it. */
    LEASED_NOT_SHOWN,
    /** The older system shows a participant that is no member here. */
    OBSERVED_WITHOUT_SESSION,
    /** An older generation acts: fencing would refuse it. */
    STALE_GENERATION;

    /** The name on the wire, in the database and as a label. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<MismatchKind> named(String wire) {
        return Arrays.stream(values()).filter(kind -> kind.wire().equals(wire)).findFirst();
    }
}
