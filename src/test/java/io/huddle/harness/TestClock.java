package io.huddle.harness;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * Moves the clock that all SQL of the product reads. A node that is started with {@link #env} keeps the shift in a table
 * of one row; a shift holds for every node on that database from its commit on, and outlives restarts.
 */
public final class TestClock {
    private final Store store;

    public TestClock(Store store) {
        this.store = store;
    }

    /** What makes a {@link Node} read its time through the shift. */
    public static Map<String, String> env() {
        return Map.of("HUDDLE_TEST_CLOCK", "true");
    }

    /** Moves the clock on, or back by a negative duration, from where it is now. */
    public void advance(Duration by) {
        shift("UPDATE test_clock SET shift_seconds = shift_seconds + ? WHERE id = 1", by);
    }

    /** Back to the true time. For whoever holds leases this is a clock that steps back. */
    public void reset() {
        shift("UPDATE test_clock SET shift_seconds = ? WHERE id = 1", Duration.ZERO);
    }

    /** The time by this clock. */
    public Instant now() {
        Object shift = store.column("SELECT CAST(shift_seconds * 1000 AS BIGINT) FROM test_clock")
                .get(0);
        return Instant.now().plusMillis(((Number) Objects.requireNonNull(shift)).longValue());
    }

    private void shift(String sql, Duration by) {
        int rows = store.update(sql, by.toMillis() / 1000.0);
        if (rows != 1) {
            throw new IllegalStateException("test_clock has " + rows + " rows with id 1; was a node started with "
                    + env() + " and has it become ready?");
        }
    }
}
