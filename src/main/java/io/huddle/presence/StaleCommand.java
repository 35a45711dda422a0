package io.huddle.presence;

/** A command of an older generation was refused in this room. Fired once for each, at the edge, after the transaction. */
public record StaleCommand(String room) {}
