package io.huddle.membership;

/**
 * What a node publishes of itself. Immutable.
 *
 * @param number given by {@link MembershipBackend#join}; zero before
 * @param process made once per start of the node
 * @param name the host's name or what an operator called it
 * @param startedAt milliseconds on the store's clock
 * @param linkUrl where other nodes reach it; empty if it has no link
 * @param linkKey the public key of its link's end, X.509 in Base64; empty without
 * @param state for operators
 * @param leaseUntil milliseconds on the store's clock; only in what is read
 */
public record NodeInfo(
        long number,
        String process,
        String name,
        long startedAt,
        String linkUrl,
        String linkKey,
        NodeState state,
        long leaseUntil) {}
