/**
 * The one clock that judges leases: the database's.
 *
 * <p>Owns the SQL expression that reads it. No other package may name a clock function in SQL, and none may compare a
 * lease with the clock of this machine.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.time;
