package io.huddle.presence;

import static io.huddle.presence.Seats.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Silence of a session that was proven at 08:59:56 with a heartbeat of 5 s. */
class SweepRulesTest {
    private static final Seat PRESENT = Seats.live(SessionState.PRESENT, 9);
    private static final Instant PATIENCE_ENDS = PRESENT.provenAt().plusSeconds(10);

    @Test
    void silent_twoHeartbeatsAndNoMore_isNot() {
        assertThat(SweepRules.isSilent(PRESENT, at(PATIENCE_ENDS, Instant.EPOCH)))
                .isFalse();
        assertThat(SweepRules.isSilent(PRESENT, at(PATIENCE_ENDS.plusNanos(1), Instant.EPOCH)))
                .isTrue();
    }

    @Test
    void silent_duringAForgivenOutage_isNoEvidence() {
        Instant forgiven = NOW.plusSeconds(60);
        assertThat(SweepRules.isSilent(PRESENT, at(forgiven, forgiven))).isFalse();
        assertThat(SweepRules.isSilent(PRESENT, at(forgiven.plusSeconds(10), forgiven)))
                .isFalse();
        assertThat(SweepRules.isSilent(PRESENT, at(forgiven.plusSeconds(11), forgiven)))
                .isTrue();
    }

    @Test
    void silent_provenAfterTheOutage_countsFromTheProof() {
        Instant forgiven = PRESENT.provenAt().minusSeconds(5);
        assertThat(SweepRules.isSilent(PRESENT, at(PATIENCE_ENDS, forgiven))).isFalse();
        assertThat(SweepRules.isSilent(PRESENT, at(PATIENCE_ENDS.plusSeconds(1), forgiven)))
                .isTrue();
    }

    @Test
    void silent_notPresent_isNot() {
        Moment late = at(NOW.plusSeconds(3_600), Instant.EPOCH);
        assertThat(SweepRules.isSilent(Seats.live(SessionState.SUSPECT, 9), late))
                .isFalse();
        assertThat(SweepRules.isSilent(Seats.live(SessionState.SUSPENDED, 9), late))
                .isFalse();
        assertThat(SweepRules.isSilent(Seats.ended(Ending.LEFT), late)).isFalse();
    }

    @Test
    void shares_ofManyRooms_holdAllInOrderAndNoMoreThanTheBound() {
        Map<String, List<String>> due = new TreeMap<>();
        due.put("r-1", List.of("s-1", "s-2"));
        due.put("r-2", List.of("s-3"));
        due.put("r-3", List.of("s-4", "s-5", "s-6", "s-7", "s-8", "s-9", "s-10"));
        due.put("r-4", List.of("s-11"));
        assertThat(SweepRules.shares(due, 4))
                .containsExactly(
                        Map.of("r-1", List.of("s-1", "s-2"), "r-2", List.of("s-3"), "r-3", List.of("s-4")),
                        Map.of("r-3", List.of("s-5", "s-6", "s-7", "s-8")),
                        Map.of("r-3", List.of("s-9", "s-10"), "r-4", List.of("s-11")));
        assertThat(SweepRules.shares(Map.of(), 4)).isEmpty();
        assertThat(SweepRules.shares(Map.of("r-1", List.of("s-1", "s-2", "s-3", "s-4")), 4))
                .containsExactly(Map.of("r-1", List.of("s-1", "s-2", "s-3", "s-4")));
    }

    private static Moment at(Instant now, Instant graced) {
        return new Moment(now, now, graced);
    }
}
