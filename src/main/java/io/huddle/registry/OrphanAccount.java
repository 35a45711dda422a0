package io.huddle.registry;

/**
 * What the orphan queue holds over all shards. Immutable.
 *
 * @param items chunks that wait or are claimed
 * @param bytes of those
 * @param oldest milliseconds on the registry's clock of the oldest of those, zero without
 * @param deadLetters chunks set aside
 * @param redeliveries claims after the first since the registry began
 * @param now the registry's clock
 */
public record OrphanAccount(long items, long bytes, long oldest, long deadLetters, long redeliveries, long now) {}
