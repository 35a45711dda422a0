package io.huddle.membership;

/**
 * Fired, synchronously, when this node has joined under a new number: at its start, after its lease was lost, and when the
 * registry began anew. Every live stream is to be registered under it.
 *
 * @param emptied true if the registry may have lost records since this node last knew it
 */
public record LeaseGained(Membership.Lease lease, boolean emptied) {}
