/**
 * The Java client of the client stream, for integrators and tests; also packaged on its own, with the wire.
 *
 * <p>Promises bounded memory, no thread per client, that a call is sent at most once, and that whatever ends a connection
 * ends everything that was under way on it. Uses nothing of Huddle but the wire, and nothing of Huddle uses it. It must
 * never log or put into an error what a message holds, a secret or a ticket.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.client;
