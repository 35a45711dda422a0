package io.huddle.registry;

import org.jspecify.annotations.Nullable;

/**
 * How a commit ended. Immutable.
 *
 * @param record the new record if {@code COMMITTED}; the changed one if {@code PREVIOUS_CHANGED}; null otherwise
 */
public record Committed(Status status, @Nullable ClientRecord record) {
    /** The outcomes, in the order in which they are judged. */
    public enum Status {
        /** See {@link Written.Status#OTHER_EPOCH}. */
        OTHER_EPOCH,
        /** See {@link Written.Status#WRITER_DEAD}. */
        WRITER_DEAD,
        /** See {@link Written.Status#TOO_LATE}. */
        TOO_LATE,
        /** The claim's record is in place, by this commit or by an earlier one whose answer was lost. */
        COMMITTED,
        /** The captured generation has changed (was activated, got other metadata): remove it exactly and commit again. */
        PREVIOUS_CHANGED,
        /** The claim lapsed or was replaced, or another generation is in the record's place. */
        LOST
    }

    public static Committed of(Status status) {
        return new Committed(status, null);
    }
}
