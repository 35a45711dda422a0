package io.huddle.membership;

/** Fired once, synchronously and at once, when this node can no longer prove its lease. Streams stay; calls are refused. */
public record LeaseLost(Membership.Lease lease) {}
