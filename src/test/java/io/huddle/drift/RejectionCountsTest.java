package io.huddle.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.presence.StaleCommand;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RejectionCountsTest {
    private final RejectionCounts counts = new RejectionCounts();

    @Test
    void counts_areTakenOnce_andComeBackIfTheyCouldNotBeWritten() {
        counts.refused(new StaleCommand("r-1"));
        counts.refused(new StaleCommand("r-1"));
        counts.refused(new StaleCommand("r-2"));
        Map<String, Integer> taken = counts.take();
        assertThat(taken).containsOnly(Map.entry("r-1", 2), Map.entry("r-2", 1));
        assertThat(counts.take()).isEmpty();

        counts.refused(new StaleCommand("r-1"));
        counts.giveBack(taken);

        assertThat(counts.take()).containsOnly(Map.entry("r-1", 3), Map.entry("r-2", 1));
    }

    /** Whoever sends commands for ever new rooms must not fill a node's memory. */
    @Test
    void counts_areOfABoundedNumberOfRooms() {
        for (int i = 0; i < 1_100; i++) {
            counts.refused(new StaleCommand("r-" + i));
        }
        counts.refused(new StaleCommand("r-0"));
        assertThat(counts.take()).hasSize(1_000).containsEntry("r-0", 2);
        assertThat(counts.unnoted()).isEqualTo(100);
    }
}
