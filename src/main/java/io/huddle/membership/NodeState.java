package io.huddle.membership;

/**
 * What a node says of itself to operators; nothing decides by it. Immutable.
 *
 * @param lifecycle one of the lifecycle's labels
 * @param version of the release that it runs; empty if it does not say
 * @param streams public streams of clients, as of a second or so ago
 * @param isDrained true once it drains and nothing of it is left: no stream, no registration
 */
public record NodeState(String lifecycle, String version, int streams, boolean isDrained) {
    /** A node of which no more is known. */
    public static NodeState of(String lifecycle) {
        return new NodeState(lifecycle, "", 0, false);
    }
}
