package io.huddle.stream;

/**
 * Fired, synchronously and in the order of priority, when a connection has opened and before its client is greeted. An
 * observer settles who owns the client id and may take its time; it turns the stream away as
 * {@link ClientConnecting.Rejected} says.
 */
public record ClientReserving(ClientStream stream) {}
