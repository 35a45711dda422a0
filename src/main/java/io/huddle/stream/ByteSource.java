package io.huddle.stream;

import org.jspecify.annotations.Nullable;

/** A byte stream that is to be had once: from a client of this node, or of another one. */
@FunctionalInterface
public interface ByteSource {
    /**
     * Lets the bytes flow to a receiver, from the first one on.
     *
     * @return ends the flow before its end
     * @throws StreamError if the byte stream is none, has or had a receiver, or is one more than may be
     */
    BreakOff flowInto(ByteReceiver receiver);

    /** Ends a flow. Idempotent; for any thread. */
    @FunctionalInterface
    interface BreakOff {
        /** Whoever sends learns the reason, and the receiver too; null for none. */
        void breakOff(@Nullable String reason);
    }
}
