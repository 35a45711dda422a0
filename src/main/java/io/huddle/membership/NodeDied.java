package io.huddle.membership;

/** Fired on whichever node holds the claim, repeatedly until acknowledged: the remains of this number are to be removed. */
public record NodeDied(long number) {}
