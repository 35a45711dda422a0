package io.huddle.presence;

import static io.huddle.event.EventType.PARTICIPANT_EXPIRED;
import static io.huddle.event.EventType.PARTICIPANT_LEFT;
import static io.huddle.event.EventType.PARTICIPANT_RECONNECTED;
import static io.huddle.event.EventType.PARTICIPANT_RECOVERED;
import static io.huddle.event.EventType.PARTICIPANT_REMOVED;
import static io.huddle.event.EventType.PARTICIPANT_SUSPECTED;
import static io.huddle.presence.Seats.GENERATION;
import static io.huddle.presence.Seats.NOW;
import static io.huddle.presence.SessionState.ABSENT;
import static io.huddle.presence.SessionState.PRESENT;
import static io.huddle.presence.SessionState.SUSPECT;
import static io.huddle.presence.SessionState.SUSPENDED;
import static io.huddle.room.RoomState.CLOSED;
import static io.huddle.room.RoomState.CLOSING;
import static io.huddle.room.RoomState.OPEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.presence.Verdict.Transition;
import io.huddle.rollout.Stage;
import io.huddle.web.Refusal;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each rollout stage enforces, and what it only counts. The last two stages are {@link SessionRulesTest}'s. */
class SessionStagesTest {
    private static final List<Stage> BEFORE_LEASES = List.of(Stage.SHADOW, Stage.FENCING);
    private static final Instant FRESH = NOW.plusSeconds(15);

    private static final Transition SHADOW_OF_SUSPECT =
            new Transition(PARTICIPANT_EXPIRED, SUSPECT, ABSENT, GENERATION, null, true);

    // Generations

    @ParameterizedTest
    @EnumSource(Stage.class)
    void olderGeneration_actsInShadowAlone(Stage stage) {
        Seat seat = Seats.live(PRESENT, 3);
        for (Verdict verdict : Stream.of(
                        SessionRules.renew(seat, OPEN, GENERATION - 1, null, NOW, stage),
                        SessionRules.suspend(seat, OPEN, GENERATION - 1, null, NOW, stage),
                        SessionRules.leave(seat, OPEN, GENERATION - 1, NOW, stage),
                        SessionRules.media(seat, OPEN, GENERATION - 1, true, NOW, stage))
                .toList()) {
            assertThat(verdict.refusal()).isEqualTo(stage == Stage.SHADOW ? null : Refusal.STALE_GENERATION);
            assertThat(verdict.seat().equals(seat)).isEqualTo(stage != Stage.SHADOW);
            assertThat(verdict.seat().generation()).isEqualTo(GENERATION);
        }
    }

    @Test
    void shadow_renewalOfAnyGeneration_renewsWhateverItsCounter() {
        for (long generation : new long[] {1, GENERATION - 1, GENERATION + 1}) {
            Verdict verdict = SessionRules.renew(Seats.live(PRESENT, 3), OPEN, generation, 1L, NOW, Stage.SHADOW);
            assertThat(verdict.seat().leaseUntil()).isEqualTo(FRESH);
            assertThat(verdict.seat().counter()).as("of the current generation").isEqualTo(10);
            assertThat(verdict.transitions()).isEmpty();
        }
        // Its own counter still orders the current generation's.
        Seat suspended = Seats.live(SUSPENDED, 3);
        assertThat(SessionRules.renew(suspended, OPEN, GENERATION, 9L, NOW, Stage.SHADOW))
                .isEqualTo(Verdict.unchanged(suspended));
    }

    @ParameterizedTest
    @EnumSource(Stage.class)
    void operatorAndRetry_nameExactlyOneGeneration_inEveryStage(Stage stage) {
        Seat seat = Seats.live(PRESENT, 3);
        assertThat(SessionRules.remove(seat, OPEN, GENERATION - 1, NOW, stage))
                .isEqualTo(Verdict.refused(seat, Refusal.STALE_GENERATION));
        assertThat(SessionRules.joinAgain(seat, OPEN, GENERATION - 1, NOW, stage))
                .isEqualTo(Verdict.refused(seat, Refusal.STALE_GENERATION));
        assertThat(SessionRules.streamClosed(seat, OPEN, GENERATION - 1, NOW, stage))
                .isEqualTo(Verdict.refused(seat, Refusal.STALE_GENERATION));
    }

    // Leases

    @Test
    void beforeLeases_expiry_isToldOnceAGenerationAndNotApplied() {
        for (Stage stage : BEFORE_LEASES) {
            Seat lapsed = Seats.live(SUSPECT, -7);
            Verdict verdict = SessionRules.expire(lapsed, NOW, stage);
            assertThat(verdict.transitions()).containsExactly(SHADOW_OF_SUSPECT);
            assertThat(verdict.seat()).isEqualTo(lapsed.withLapseTold());
            assertThat(SessionRules.expire(verdict.seat(), NOW, stage)).isEqualTo(Verdict.unchanged(verdict.seat()));

            Seat revived = SessionRules.renew(verdict.seat(), OPEN, GENERATION, null, NOW, stage)
                    .seat();
            assertThat(SessionRules.expire(revived, NOW.plusSeconds(60), stage).transitions())
                    .as("of the same generation")
                    .isEmpty();
            Seat next = SessionRules.join(revived, OPEN, false, NOW, stage).seat();
            assertThat(SessionRules.expire(next, NOW.plusSeconds(60), stage).transitions())
                    .as("of the next generation")
                    .hasSize(1);
        }
    }

    @Test
    void beforeLeases_oneNanosecondLeft_isNoLapse() {
        Seat seat = Seats.live(PRESENT, 0);
        for (Stage stage : BEFORE_LEASES) {
            assertThat(SessionRules.expire(seat, NOW.minusNanos(1), stage)).isEqualTo(Verdict.unchanged(seat));
            assertThat(SessionRules.expire(seat, NOW, stage).transitions()).hasSize(1);
        }
    }

    @Test
    void beforeLeases_renewalAfterTheLease_revivesIt() {
        for (Stage stage : BEFORE_LEASES) {
            Verdict verdict = SessionRules.renew(Seats.live(SUSPECT, -7), OPEN, GENERATION, null, NOW, stage);
            assertThat(verdict.refusal()).isNull();
            assertThat(verdict.seat().state()).isEqualTo(PRESENT);
            assertThat(verdict.seat().leaseUntil()).isEqualTo(FRESH);
            // Nobody had told of the lapse yet.
            assertThat(verdict.transitions())
                    .containsExactly(
                            SHADOW_OF_SUSPECT,
                            new Transition(PARTICIPANT_RECOVERED, SUSPECT, PRESENT, GENERATION, null));
        }
    }

    @Test
    void beforeLeases_joinAfterTheLease_takesOverAndIsNotJoinedAnew() {
        for (Stage stage : BEFORE_LEASES) {
            Seat before = Seats.live(SUSPECT, -7);
            Verdict verdict = SessionRules.join(before, OPEN, true, NOW, stage);
            assertThat(verdict.refusal()).as("a full room keeps who is in").isNull();
            assertThat(verdict.transitions())
                    .containsExactly(
                            SHADOW_OF_SUSPECT,
                            new Transition(PARTICIPANT_RECONNECTED, SUSPECT, PRESENT, GENERATION + 1, null));
            assertThat(verdict.seat().joinedAt()).isEqualTo(before.joinedAt());
            assertThat(verdict.seat().lapseTold()).isFalse();

            Verdict again = SessionRules.joinAgain(before, OPEN, GENERATION, NOW, stage);
            assertThat(again.refusal()).isNull();
            assertThat(again.seat().leaseUntil()).isEqualTo(FRESH);
        }
    }

    @Test
    void beforeLeases_leaveRemovalAndClose_endWhatHasLapsed() {
        for (Stage stage : BEFORE_LEASES) {
            Seat lapsed = Seats.live(SUSPECT, -7).withLapseTold();
            Verdict left = SessionRules.leave(lapsed, OPEN, GENERATION, NOW, stage);
            assertThat(left.seat().ending()).isEqualTo(Ending.LEFT);
            assertThat(left.transitions())
                    .containsExactly(new Transition(PARTICIPANT_LEFT, SUSPECT, ABSENT, GENERATION, null));
            Verdict removed = SessionRules.remove(lapsed, OPEN, GENERATION, NOW, stage);
            assertThat(removed.seat().ending()).isEqualTo(Ending.OPERATOR);
            Verdict closed = SessionRules.roomCloses(lapsed, true, NOW, stage);
            assertThat(closed.seat().ending()).isEqualTo(Ending.ROOM_CLOSED);
            assertThat(closed.transitions())
                    .containsExactly(new Transition(PARTICIPANT_REMOVED, SUSPECT, ABSENT, GENERATION, "room-closed"));
        }
    }

    @Test
    void beforeLeases_streamOfALapsedSessionEnds_makesItSuspect() {
        for (Stage stage : BEFORE_LEASES) {
            Verdict verdict = SessionRules.streamClosed(Seats.live(PRESENT, -1), OPEN, GENERATION, NOW, stage);
            assertThat(verdict.transitions())
                    .containsExactly(
                            new Transition(PARTICIPANT_SUSPECTED, PRESENT, SUSPECT, GENERATION, "stream-closed"));
        }
    }

    @Test
    void beforeLeases_sweep_tellsTheLapseAndTheSilenceTogether() {
        Moment judged = new Moment(NOW.plusSeconds(60), NOW.plusSeconds(60), Instant.EPOCH);
        for (Stage stage : BEFORE_LEASES) {
            Verdict verdict = SweepRules.judge(Seats.live(PRESENT, 3), judged, stage);
            assertThat(verdict.seat().state()).isEqualTo(SUSPECT);
            assertThat(verdict.transitions())
                    .containsExactly(
                            new Transition(PARTICIPANT_EXPIRED, PRESENT, ABSENT, GENERATION, null, true),
                            new Transition(PARTICIPANT_SUSPECTED, PRESENT, SUSPECT, GENERATION, "heartbeat-missed"));
            assertThat(SweepRules.judge(verdict.seat(), judged, stage)).isEqualTo(Verdict.unchanged(verdict.seat()));
        }
        assertThat(SweepRules.judge(Seats.live(PRESENT, 3), judged, Stage.LEASES)
                        .seat()
                        .ending())
                .isEqualTo(Ending.EXPIRED);
    }

    @ParameterizedTest
    @EnumSource(Stage.class)
    void lapseThatWasTold_endsOnceLeasesDecide(Stage stage) {
        Seat told = Seats.live(SUSPECT, -7).withLapseTold();
        Verdict verdict = SessionRules.expire(told, NOW, stage);
        if (stage.endsLeases()) {
            assertThat(verdict.transitions())
                    .containsExactly(new Transition(PARTICIPANT_EXPIRED, SUSPECT, ABSENT, GENERATION, null));
        } else {
            assertThat(verdict).isEqualTo(Verdict.unchanged(told));
        }
    }

    // What no stage changes

    @ParameterizedTest
    @EnumSource(Stage.class)
    void roomThatIsNotOpen_takesNobodyIn_inAnyStage(Stage stage) {
        for (Seat seat : List.of(Seats.live(PRESENT, 9), Seats.live(SUSPECT, -9), Seats.ended(Ending.LEFT))) {
            assertThat(SessionRules.join(seat, CLOSING, false, NOW, stage))
                    .isEqualTo(Verdict.refused(seat, Refusal.ROOM_CLOSING));
            assertThat(SessionRules.join(seat, CLOSED, false, NOW, stage))
                    .isEqualTo(Verdict.refused(seat, Refusal.ROOM_CLOSED));
            assertThat(SessionRules.renew(seat, CLOSED, GENERATION, null, NOW, stage))
                    .isEqualTo(Verdict.refused(seat, Refusal.ROOM_CLOSED));
        }
    }

    @ParameterizedTest
    @EnumSource(Stage.class)
    void whatHasEnded_staysEnded_inAnyStage(Stage stage) {
        for (Ending ending : Ending.values()) {
            Seat seat = Seats.ended(ending);
            Refusal refusal = ending == Ending.EXPIRED ? Refusal.LEASE_EXPIRED : Refusal.SESSION_ENDED;
            assertThat(SessionRules.renew(seat, OPEN, GENERATION, null, NOW, stage))
                    .isEqualTo(Verdict.refused(seat, refusal));
        }
    }
}
