package io.huddle.registry;

/** What a backend can do beyond recording; one that lacks a capability is never asked for a part of it. */
public enum Capability {
    /** {@code claim}, {@code commitClaim}, {@code abortClaim}, {@code removeClaimPrevious}, {@code removeClaimResult}. */
    CLAIMS,
    /** {@code cleanupNodeAndEnqueueOrphaned}, {@code claimOrphaned}, {@code ackOrphaned}, {@code nackOrphaned}. */
    DURABLE_ORPHANS,
    /** {@code cleanupNodeForFallback}: remove and return in one step, within bounds. */
    FALLBACK_ORPHANS,
    /** {@code consumeNonce}. */
    NONCES
}
