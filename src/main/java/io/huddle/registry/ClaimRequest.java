package io.huddle.registry;

import io.huddle.registry.ClientRecord.State;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a client id that somebody else may own. Immutable.
 *
 * @param state what the record is to become at commit
 * @param supersede true if a live owner of the same order is to make way. A higher order needs no leave
 * @param goneMark the mark of the record that is proven to be gone, as its own node answered; null if nothing is proven. It
 *     stands for the leave to supersede that one generation
 * @param deadNode a number that is proven to have been declared dead, zero for none: the shard refuses its writes from now
 *     on, its open claim on this id is dropped, and its record here counts as gone
 */
public record ClaimRequest(
        Registration registration,
        State state,
        boolean supersede,
        @Nullable String goneMark,
        long deadNode) {}
