/**
 * Signalling between the members of a room: who wants to talk to whom, relayed over their streams.
 *
 * <p>Owns {@code uSignal} and {@code dSignal}. Promises that a signal passes only between current generations of members of
 * the same open room, and that one sender's signals leave in the order in which they came. Keeps nothing, never looks into a
 * payload and never logs one: it may hold addresses of people's networks.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.signal;
