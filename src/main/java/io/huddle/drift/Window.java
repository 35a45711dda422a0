package io.huddle.drift;

import java.time.Duration;
import java.time.Instant;

/**
 * A stretch of the database's time, on a grid that is the same for all nodes. Pure.
 *
 * @param start a whole number of lengths after the epoch
 */
record Window(Instant start, Duration length) {
    /** The newest window that ended at least the delay ago. */
    static Window due(Instant now, Duration length, Duration delay) {
        return at(now.minus(delay), length).back(1);
    }

    /** The window that holds the instant. */
    static Window at(Instant now, Duration length) {
        long seconds = length.toSeconds();
        return new Window(Instant.ofEpochSecond(Math.floorDiv(now.getEpochSecond(), seconds) * seconds), length);
    }

    /** So many windows before this one. */
    Window back(int windows) {
        return new Window(start.minus(length.multipliedBy(windows)), length);
    }
}
