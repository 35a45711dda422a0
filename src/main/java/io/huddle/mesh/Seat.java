package io.huddle.mesh;

import io.huddle.membership.Membership;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * This node's place among the others, as far as ownership needs it.
 *
 * @param process the id of this process, the same under every number
 * @param mayDeliver true while the lease is safe and the epoch old enough for an absent record to prove something
 * @param warrants in the name of the number that this node has now
 * @param isMember true while the number is a member, from a cache of a second or so
 * @param isGone true if the number is proven to have ended, false also where that cannot be proven
 * @param doubt to be told when the registry refuses this node's epoch or number
 */
record Seat(
        Supplier<String> process,
        BooleanSupplier mayDeliver,
        Warrants warrants,
        LongFunction<CompletionStage<Boolean>> isMember,
        LongFunction<CompletionStage<Boolean>> isGone,
        Runnable doubt) {

    static Seat of(Membership membership) {
        return new Seat(
                membership::process,
                membership::mayDeliver,
                membership::warrant,
                number -> membership.node(number).thenApply(java.util.Optional::isPresent),
                membership::isGone,
                membership::doubt);
    }

    /** True while the number is this node's and its lease is safe. */
    boolean has(long number) {
        return warrants.next(java.time.Duration.ofSeconds(1))
                .filter(warrant -> warrant.node() == number)
                .isPresent();
    }
}
