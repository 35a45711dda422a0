/**
 * Which nodes there are: numbers that are never used twice, leases on the store's clock, the declared dead, the registry's
 * epoch, and broadcasts to all.
 *
 * <p>Knows nothing of clients. Promises that a node knows before anybody else does that its lease may have ended, and that a
 * number once declared dead never renews.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.membership;
