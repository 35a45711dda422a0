package io.huddle.stream;

/**
 * Fired when a public stream has ended; never for one that was not public.
 *
 * @param cause {@link CloseCause#SUPERSEDED} if the client is connected by a newer stream
 */
public record ClientDisconnected(ClientStream stream, CloseCause cause) {}
