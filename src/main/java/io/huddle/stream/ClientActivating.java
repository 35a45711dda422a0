package io.huddle.stream;

/**
 * Fired, synchronously, once the client has been greeted and before {@link ClientConnecting}: the stream is to become
 * visible to other nodes. An observer may turn it away as {@link ClientConnecting.Rejected} says.
 */
public record ClientActivating(ClientStream stream) {}
