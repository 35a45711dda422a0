package io.huddle.membership;

/**
 * A membership taken. Immutable.
 *
 * @param fresh true if this node wrote the epoch, the store having had none
 */
public record Joined(long number, Epoch epoch, boolean fresh) {}
