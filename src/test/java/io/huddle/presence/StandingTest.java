package io.huddle.presence;

import static io.huddle.presence.Seats.GENERATION;
import static io.huddle.presence.Seats.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.presence.Standing.End;
import io.huddle.rollout.Stage;
import io.huddle.room.RoomState;
import io.huddle.stream.CloseCause;
import io.huddle.web.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StandingTest {
    @ParameterizedTest
    @EnumSource(value = SessionState.class, names = "ABSENT", mode = EnumSource.Mode.EXCLUDE)
    void stream_ofTheCurrentGeneration_goesOn(SessionState live) {
        assertThat(standing(live, null, 10, RoomState.OPEN).end(GENERATION)).isNull();
        // The sweep judges leases and writes the ending; until then nothing is known.
        assertThat(standing(live, null, 0, RoomState.OPEN).end(GENERATION)).isNull();
    }

    @ParameterizedTest
    @EnumSource(SessionState.class)
    void stream_ofAnOlderGeneration_isSuperseded(SessionState any) {
        End end = standing(any, Ending.LEFT, 10, RoomState.CLOSED).end(GENERATION - 1);
        assertThat(end).isEqualTo(new End(CloseCause.SUPERSEDED, "superseded"));
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void stream_ofAnEndedSession_endsWithItsReason(Ending ending) {
        for (RoomState room : RoomState.values()) {
            assertThat(standing(SessionState.ABSENT, ending, -1, room).end(GENERATION))
                    .isEqualTo(new End(CloseCause.SESSION_ENDED, ending.wire()));
        }
    }

    @Test
    void stream_inARoomThatCloses_ends() {
        assertThat(standing(SessionState.PRESENT, null, 10, RoomState.CLOSING).end(GENERATION))
                .isEqualTo(new End(CloseCause.SESSION_ENDED, "room-closed"));
    }

    @Test
    void stream_ofAGenerationThatTheDatabaseLost_ends() {
        assertThat(standing(SessionState.PRESENT, null, 10, RoomState.OPEN).end(GENERATION + 1))
                .isEqualTo(new End(CloseCause.SESSION_ENDED, "expired"));
    }

    @Test
    void refusals_areJudgedInTheOneOrder() {
        assertThat(standing(SessionState.PRESENT, null, 10, RoomState.OPEN).refusal(GENERATION))
                .isNull();
        assertThat(standing(SessionState.ABSENT, Ending.LEFT, -1, RoomState.CLOSED)
                        .refusal(GENERATION - 1))
                .isEqualTo(Refusal.STALE_GENERATION);
        assertThat(standing(SessionState.PRESENT, null, 0, RoomState.CLOSING).refusal(GENERATION))
                .isEqualTo(Refusal.ROOM_CLOSING);
        assertThat(standing(SessionState.PRESENT, null, 0, RoomState.OPEN).refusal(GENERATION))
                .isEqualTo(Refusal.LEASE_EXPIRED);
        assertThat(standing(SessionState.ABSENT, Ending.EXPIRED, -1, RoomState.OPEN)
                        .refusal(GENERATION))
                .isEqualTo(Refusal.LEASE_EXPIRED);
        assertThat(standing(SessionState.ABSENT, Ending.LEFT, -1, RoomState.OPEN)
                        .refusal(GENERATION))
                .isEqualTo(Refusal.SESSION_ENDED);
    }

    @Test
    void member_isWhoseLeaseRuns() {
        assertThat(standing(SessionState.SUSPENDED, null, 1, RoomState.OPEN).isMember())
                .isTrue();
        assertThat(standing(SessionState.SUSPENDED, null, 0, RoomState.OPEN).isMember())
                .isFalse();
        assertThat(standing(SessionState.ABSENT, Ending.LEFT, 10, RoomState.OPEN)
                        .isMember())
                .isFalse();
    }

    @Test
    void beforeLeasesDecide_aLapsedSession_isAMemberAndMayAct() {
        for (Stage stage : List.of(Stage.SHADOW, Stage.FENCING)) {
            Standing lapsed = standing(SessionState.PRESENT, null, -1, RoomState.OPEN, stage);
            assertThat(lapsed.isLapsed()).isFalse();
            assertThat(lapsed.isMember()).isTrue();
            assertThat(lapsed.refusal(GENERATION)).isNull();
        }
    }

    @Test
    void olderStream_endsFromFencingOn_andMayActBefore() {
        for (Stage stage : Stage.values()) {
            Standing standing = standing(SessionState.PRESENT, null, 10, RoomState.OPEN, stage);
            assertThat(standing.end(GENERATION - 1) == null).isEqualTo(stage == Stage.SHADOW);
            assertThat(standing.refusal(GENERATION - 1) == null).isEqualTo(stage == Stage.SHADOW);
        }
        // What has ended has ended, whoever asks.
        assertThat(standing(SessionState.ABSENT, Ending.LEFT, -1, RoomState.OPEN, Stage.SHADOW)
                        .end(GENERATION - 1))
                .isNotNull();
    }

    private static Standing standing(SessionState state, @Nullable Ending ending, long secondsLeft, RoomState room) {
        return standing(state, ending, secondsLeft, room, Stage.ALERTING);
    }

    private static Standing standing(
            SessionState state, @Nullable Ending ending, long secondsLeft, RoomState room, Stage stage) {
        return new Standing(
                "s-1",
                "r-1",
                "team",
                GENERATION,
                state,
                ending,
                NOW.plusSeconds(secondsLeft),
                room,
                new Moment(NOW, NOW, NOW),
                stage);
    }
}
