package io.huddle.membership;

import java.util.Locale;

/** Why a node has no lease any more. */
enum Loss {
    /** No renewal was answered in time; the node was away, or the store. */
    EXPIRED,
    /** The store says that the number is no member. */
    REFUSED,
    /** The store has lost data, or may have. */
    OTHER_EPOCH,
    /** The node wanted it so. */
    LEFT;

    /** As it is called in metrics and logs. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
