package io.huddle.mesh;

import io.huddle.membership.Membership;
import io.huddle.registry.Warrant;
import io.huddle.registry.Written;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * This node's place among the others, as far as ownership needs it.
 *
 * @param process the id of this process, the same under every number
 * @param mayDeliver true while the lease is safe and the epoch old enough for an absent record to prove something
 * @param warrants in the name of the number that this node has now
 * @param isMember true while the number is a member, from a cache of a second or so
 * @param isGone true if the number is proven to have ended, false also where that cannot be proven
 * @param doubt to be told when the registry refuses the epoch, or the number, of a write of this node
 */
record Seat(
        Supplier<String> process,
        BooleanSupplier mayDeliver,
        Warrants warrants,
        LongFunction<CompletionStage<Boolean>> isMember,
        LongFunction<CompletionStage<Boolean>> isGone,
        ObjLongConsumer<Membership.Doubt> doubt) {

    static Seat of(Membership membership) {
        return new Seat(
                membership::process,
                membership::mayDeliver,
                membership::warrant,
                number -> membership.node(number).thenApply(java.util.Optional::isPresent),
                membership::isGone,
                membership::doubt);
    }

    /** Tells of a write under this warrant that the registry refused, if it was for the epoch or the number. */
    void doubtIf(Written.Status refused, Warrant warrant) {
        if (refused == Written.Status.OTHER_EPOCH) {
            doubt.accept(Membership.Doubt.OTHER_EPOCH, warrant.node());
        } else if (refused == Written.Status.WRITER_DEAD) {
            doubt.accept(Membership.Doubt.WRITER_DEAD, warrant.node());
        }
    }

    /** True while the number is this node's and its lease is safe. */
    boolean has(long number) {
        return warrants.next(java.time.Duration.ofSeconds(1))
                .filter(warrant -> warrant.node() == number)
                .isPresent();
    }
}
