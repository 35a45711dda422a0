package io.huddle.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.admin.RoomViews.MediaReport;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is shown of somebody's audio is what drift is judged by. */
class EvidenceTest {
    private static final Instant NOW = Instant.parse("2026-11-30T08:03:06Z");
    private static final Duration FRESH = Duration.ofSeconds(30);

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "connected, true, flowing",
                "connected, false, silent",
                "failed, true, flowing",
                "failed, false, failed",
                "failed, -, failed",
                "closed, -, closed",
                "connected, -, -",
                "disconnected, -, -"
            })
    void report_saysWhatItProvesOfTheAudio(String state, @Nullable Boolean flowing, @Nullable String says) {
        Evidence evidence = Evidence.of(report(state, flowing), NOW, FRESH);
        assertThat(evidence == null ? null : evidence.says()).isEqualTo(says);
        assertThat(evidence == null ? null : evidence.source()).isNull();
    }

    @Test
    void report_thatWasNeverMade_isNoEvidence() {
        assertThat(Evidence.of(null, NOW, FRESH)).isNull();
    }

    @Test
    void evidence_olderThanItCounts_isOutOfDate() {
        Evidence last = seen(NOW.minus(FRESH));
        assertThat(last.ageSeconds()).isEqualTo(30);
        assertThat(last.outOfDate()).isFalse();
        assertThat(seen(NOW.minus(FRESH).minusMillis(1)).outOfDate()).isTrue();
        assertThat(seen(NOW.plusSeconds(2)).ageSeconds()).isZero();
    }

    @Test
    void latest_ofTwo_isTheLaterWhoeverSaysIt() {
        Evidence early = seen(NOW.minusSeconds(9));
        Evidence late = seen(NOW.minusSeconds(3));
        assertThat(Evidence.latest(early, late)).isSameAs(late);
        assertThat(Evidence.latest(late, early)).isSameAs(late);
        assertThat(Evidence.latest(null, early)).isSameAs(early);
        assertThat(Evidence.latest(early, null)).isSameAs(early);
        assertThat(Evidence.latest(null, null)).isNull();
    }

    private static MediaReport report(String state, @Nullable Boolean flowing) {
        return new MediaReport(state, flowing, null, null, NOW);
    }

    private static Evidence seen(Instant at) {
        return Evidence.of("sfu-1", "silent", at, NOW, FRESH);
    }
}
