package io.huddle.registry;

import org.jspecify.annotations.Nullable;

/**
 * How a write of a record ended. Immutable.
 *
 * @param record the record as it is now if {@code OK}; whoever is in the way if {@code CONFLICT} or {@code NEWER_EXISTS} and
 *     it is a record; null otherwise
 */
public record Written(Status status, @Nullable ClientRecord record) {
    /** The outcomes, in the order in which they are judged; the first that applies is the answer. */
    public enum Status {
        /** The registry's epoch is another one, or a shard has lost it: join again. Nothing was changed. */
        OTHER_EPOCH,
        /** The writer's number was declared dead in this shard. Nothing was changed, and nothing ever will be. */
        WRITER_DEAD,
        /** It came after its {@code notAfter}, or its operation was revoked. Nothing was changed. */
        TOO_LATE,
        /** The record cannot be read. Only its owner or a repair may replace it. Nothing was changed. */
        CORRUPT,
        /** A record or an open claim has a higher order. Nothing was changed. */
        NEWER_EXISTS,
        /** Another connection owns the client id, or claims it. Nothing was changed. */
        CONFLICT,
        /** This exact connection has no record (any more). Nothing was changed. */
        NOT_OWNER,
        /** Done, now or by an earlier try of the same operation. */
        OK
    }

    public boolean isOk() {
        return status == Status.OK;
    }

    public static Written of(Status status) {
        return new Written(status, null);
    }
}
