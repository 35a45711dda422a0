package io.huddle.registry;

import org.jspecify.annotations.Nullable;

/**
 * How a claim ended. Immutable.
 *
 * @param claim the claim's id if {@code CLAIMED}, to be committed or aborted; it lapses by itself after 30 s of the
 *     registry's clock
 * @param order the order that the committed record will have, if {@code CLAIMED}
 * @param previous the record that the claim found, with its exact image: to be fenced before the commit if {@code CLAIMED},
 *     in the way if {@code CONFLICT} or {@code NEWER_EXISTS}; null if there was none
 * @param busyNode the node of the open claim in the way if {@code BUSY}; zero otherwise
 */
public record Claimed(
        Status status,
        @Nullable String claim,
        long order,
        @Nullable ClientRecord previous,
        long busyNode) {
    /** The outcomes, in the order in which they are judged; the first that applies is the answer. */
    public enum Status {
        /** See {@link Written.Status#OTHER_EPOCH}. */
        OTHER_EPOCH,
        /** See {@link Written.Status#WRITER_DEAD}. */
        WRITER_DEAD,
        /** See {@link Written.Status#TOO_LATE}. */
        TOO_LATE,
        /** See {@link Written.Status#CORRUPT}. */
        CORRUPT,
        /** A record or an open claim has a higher order. */
        NEWER_EXISTS,
        /** Another claim of the same order is open, or the same operation came with another content. */
        BUSY,
        /** Another connection owns the id, in {@code previous}, and was not asked to make way. */
        CONFLICT,
        /** The claim is open; the previous record stays authoritative until the commit. */
        CLAIMED
    }

    public static Claimed of(Status status) {
        return new Claimed(status, null, 0, null, 0);
    }
}
