/**
 * Who is connected where, and calls to them: {@code uCall}, {@code dCall}, {@code uSetMetadata}.
 *
 * <p>Knows clients and teams, and nothing of rooms. Promises that a call is sent at most once and that its caller learns
 * what is known of it: not sent, answered, or perhaps done. Never logs data or metadata.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.mesh;
