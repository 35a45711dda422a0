package io.huddle.membership;

/**
 * A renewal's answer. Immutable.
 *
 * @param refused true if number and process are no member any more: the node is fenced and has to join anew
 * @param epoch the current one; another than the node's means that the store has lost data
 */
public record Renewal(boolean refused, Epoch epoch) {}
