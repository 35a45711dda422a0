package io.huddle.registry;

import org.jspecify.annotations.Nullable;

/**
 * Everything about one client id at one instant. Immutable.
 *
 * @param record active or pending; null if there is none, or none that can be read
 * @param corrupt true if there is a record that cannot be read
 * @param claim the id of the open claim, null without
 * @param claimNode the claimant's number, zero without
 */
public record Sight(
        @Nullable ClientRecord record,
        boolean corrupt,
        @Nullable String claim,
        long claimNode) {
    public static final Sight NOTHING = new Sight(null, false, null, 0);
}
