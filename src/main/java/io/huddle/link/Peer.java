package io.huddle.link;

/**
 * A node to be reached, as the membership knows it. Immutable.
 *
 * @param url of its link, {@code wss://…/mesh}
 * @param key its public key, X.509 in Base64
 */
public record Peer(long number, String process, String url, String key) {}
