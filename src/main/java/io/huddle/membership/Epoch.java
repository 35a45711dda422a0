package io.huddle.membership;

/**
 * One life of the registry. Immutable.
 *
 * @param id unique
 * @param since milliseconds on the store's clock
 * @param now the store's clock when this was read
 */
public record Epoch(String id, long since, long now) {}
