/**
 * Who is connected where, and calls to them: {@code uCall}, {@code dCall}, {@code uSetMetadata}.
 *
 * <p>What a dead node leaves behind is removed and told of as {@link io.huddle.mesh.NodeClientsOrphaned}, at least once.
 *
 * <p>Knows clients and teams, and nothing of rooms. Promises that a call is sent at most once and that its caller learns
 * what is known of it: not sent, answered, or perhaps done. Never logs data or metadata.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.mesh;
