/**
 * The links between nodes: one authenticated WebSocket for each pair, carrying calls with deadlines and streams of bytes.
 *
 * <p>Knows peers by number, process and key, and operations by name; nothing of clients. Promises that a call is carried out
 * at most once and that its caller learns what is known: not sent, answered, or perhaps done. Never logs a payload or a
 * secret.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.link;
