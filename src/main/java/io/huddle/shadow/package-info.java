/**
 * Compares the roster that is shown with the roster by leases, while the rollout is in a stage before leases decide.
 *
 * <p>Owns the table of mismatches. Promises that each is kept once for as long as it lasts, whichever node finds it. Must
 * never change a room or a session: it looks and writes down.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.shadow;
