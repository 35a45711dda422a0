package io.huddle.event;

import java.util.concurrent.CompletionStage;

/** Whoever follows a room live. Called by one thread at a time; the next call comes after the stage has completed. */
public interface Subscriber {
    /** Where the subscriber stands: the number of the last event it was sent. */
    long position();

    /** Sends what is new since {@link #position()}; exceptionally when the subscriber is gone or too slow. */
    CompletionStage<Void> deliver();

    /** The node stops: lets go of the reader, which comes back on another node with its last number. Idempotent. */
    void end();
}
