package io.huddle.client;

import java.time.Duration;
import java.util.Optional;

/**
 * The end of an established connection, or of an attempt to get one back.
 *
 * @param reconnectIn when the client will try again by itself; empty if it stays off
 */
public record Disconnected(HuddleFailure cause, Optional<Duration> reconnectIn) {}
