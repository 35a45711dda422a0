package io.huddle.stream;

/**
 * Fired when a stream has ended, public or not, after it lost its client id here.
 *
 * @param cause {@link CloseCause#SUPERSEDED} if the client is connected by a newer stream
 * @param wasPublic false if nobody has ever seen it
 */
public record StreamEnded(ClientStream stream, CloseCause cause, boolean wasPublic) {}
