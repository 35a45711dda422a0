/**
 * Typed calls over one WebSocket per client: handshake, activation, calls both ways, byte streams, limits, revocation.
 *
 * <p>It knows nothing of rooms. What a method does is in beans above, found by {@link io.huddle.stream.Handles}; who is
 * connected is told by the CDI events {@link io.huddle.stream.ClientReserving}, {@link io.huddle.stream.ClientActivating},
 * {@link io.huddle.stream.ClientConnecting}, {@link io.huddle.stream.StreamOpened} and
 * {@link io.huddle.stream.StreamEnded}. One writer a socket, one send under way, every queue bounded; a slow
 * peer is closed. It never blocks the thread that reads a socket, but for the backpressure of byte streams, which is
 * bounded.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.stream;
