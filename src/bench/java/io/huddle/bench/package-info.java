/**
 * The client side of the benchmarks of streams, for a process of its own: one thread and one selector for all
 * connections, so that on a small machine the client takes as little from the server as it can. Never part of a release.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.bench;
