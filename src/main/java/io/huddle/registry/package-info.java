/**
 * Which client is connected where: the records of connections, the claims by which a client id changes hands, the queue of
 * what dead nodes left behind, and the nonces of signed handshakes.
 *
 * <p>Knows nodes by number and process, clients by opaque ids, and nothing of streams, links or rooms. Every write is made
 * under a {@link io.huddle.registry.Warrant} and compares the exact owner; order decides, never arrival.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.registry;
