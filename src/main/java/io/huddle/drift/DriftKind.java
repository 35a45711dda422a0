package io.huddle.drift;

import java.util.Arrays;
import java.util.Locale;

/** How a room's roster and what is known of its audio can disagree. */
public enum DriftKind {
    /** Somebody is leased whose audio does not flow. */
    LEASES_WITHOUT_MEDIA,
    /** Somebody's audio flows without a lease. */
    MEDIA_WITHOUT_LEASE,
    /** Half of three or more are suspect. */
    SUSPECT_PILE_UP,
    /** Old tabs or delayed messages keep acting for generations that were overtaken. */
    REJECTIONS;

    /** The name in SQL, JSON and metrics. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    static DriftKind of(String wire) {
        return Arrays.stream(values())
                .filter(kind -> kind.wire().equals(wire))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no kind of drift is called " + wire));
    }
}
