/**
 * Rooms, their lifecycle, idempotent creation.
 *
 * <p>Promises that at most one room of a (team, occurrence) is open, whatever races, and that a room never goes back a
 * state. Nothing that happens to a participant's network reaches this package.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.room;
