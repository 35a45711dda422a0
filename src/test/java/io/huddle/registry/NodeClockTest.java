package io.huddle.registry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeClockTest {
    @Test
    void clock_made_goesOnFromThisMachinesTime() {
        long before = System.currentTimeMillis();
        NodeClock clock = new NodeClock();
        long first = clock.getAsLong();
        assertThat(first).isBetween(before - 1, System.currentTimeMillis() + 1);
        assertThat(clock.getAsLong()).isBetween(first, first + 10_000);
    }
}
