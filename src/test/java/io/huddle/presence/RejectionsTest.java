package io.huddle.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.web.Refusal;
import org.junit.jupiter.api.Test;

class RejectionsTest {
    /**
     * An operator who mistyped the generation of a ghost, higher than any that was given, was told that the participant
     * had joined again since, and left the ghost alone.
     */
    @Test
    void staleGeneration_tellsTheNewestOne() {
        Rejection rejection = Rejections.of(Refusal.STALE_GENERATION, "remove", "r-1", "s-1", 2);

        assertThat(rejection.getMessage())
                .isEqualTo("only the newest generation of the session counts, which is 2")
                .doesNotContain("since");
        assertThat(rejection.currentGeneration()).isEqualTo(2);
    }
}
