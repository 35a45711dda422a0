package io.huddle.presence;

import static io.huddle.event.EventType.PARTICIPANT_EXPIRED;
import static io.huddle.event.EventType.PARTICIPANT_JOINED;
import static io.huddle.event.EventType.PARTICIPANT_LEFT;
import static io.huddle.event.EventType.PARTICIPANT_RECONNECTED;
import static io.huddle.event.EventType.PARTICIPANT_RECOVERED;
import static io.huddle.event.EventType.PARTICIPANT_REMOVED;
import static io.huddle.event.EventType.PARTICIPANT_SUSPECTED;
import static io.huddle.event.EventType.PARTICIPANT_SUSPENDED;
import static io.huddle.presence.Seats.GENERATION;
import static io.huddle.presence.Seats.NOW;
import static io.huddle.presence.Seats.TERMS;
import static io.huddle.presence.SessionState.ABSENT;
import static io.huddle.presence.SessionState.PRESENT;
import static io.huddle.presence.SessionState.SUSPECT;
import static io.huddle.presence.SessionState.SUSPENDED;
import static io.huddle.rollout.Stage.ALERTING;
import static io.huddle.room.RoomState.CLOSED;
import static io.huddle.room.RoomState.CLOSING;
import static io.huddle.room.RoomState.OPEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.event.EventType;
import io.huddle.presence.Verdict.Transition;
import io.huddle.room.RoomState;
import io.huddle.web.Refusal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SessionRulesTest {
    private static final List<SessionState> LIVE = List.of(PRESENT, SUSPECT, SUSPENDED);
    private static final Instant FRESH = NOW.plusSeconds(15);

    /** A command of the client or an operator, as the rules see it. */
    private interface Command {
        Verdict judge(Seat seat, RoomState room, long generation);
    }

    private record Named(String name, Command command) {}

    private static final List<Named> COMMANDS = List.of(
            new Named(
                    "renew",
                    (seat, room, generation) -> SessionRules.renew(seat, room, generation, null, NOW, ALERTING)),
            new Named(
                    "suspend",
                    (seat, room, generation) -> SessionRules.suspend(seat, room, generation, null, NOW, ALERTING)),
            new Named("leave", (seat, room, generation) -> SessionRules.leave(seat, room, generation, NOW, ALERTING)),
            new Named("remove", (seat, room, generation) -> SessionRules.remove(seat, room, generation, NOW, ALERTING)),
            new Named(
                    "media",
                    (seat, room, generation) -> SessionRules.media(seat, room, generation, true, NOW, ALERTING)));

    // The end of a stream

    @Test
    void streamClosed_ofTheCurrentGeneration_makesAPresentSessionSuspect() {
        Seat before = Seats.live(PRESENT, 3);
        Verdict verdict = SessionRules.streamClosed(before, OPEN, GENERATION, NOW, ALERTING);
        assertThat(verdict.seat().state()).isEqualTo(SUSPECT);
        assertThat(verdict.seat().leaseUntil()).isEqualTo(before.leaseUntil());
        assertTold(verdict, PARTICIPANT_SUSPECTED, PRESENT, SUSPECT, GENERATION, "stream-closed");
    }

    @Test
    void streamClosed_ofAnySessionThatIsNotPresent_changesNothing() {
        for (SessionState other : List.of(SUSPECT, SUSPENDED)) {
            Seat seat = Seats.live(other, 3);
            assertThat(SessionRules.streamClosed(seat, OPEN, GENERATION, NOW, ALERTING))
                    .isEqualTo(Verdict.unchanged(seat));
        }
        Seat ended = Seats.ended(Ending.LEFT);
        assertThat(SessionRules.streamClosed(ended, OPEN, GENERATION, NOW, ALERTING))
                .isEqualTo(Verdict.unchanged(ended));
        Seat lapsed = Seats.live(PRESENT, 0);
        assertThat(SessionRules.streamClosed(lapsed, OPEN, GENERATION, NOW, ALERTING))
                .isEqualTo(Verdict.unchanged(lapsed));
        Seat present = Seats.live(PRESENT, 3);
        for (RoomState room : List.of(CLOSING, CLOSED)) {
            assertThat(SessionRules.streamClosed(present, room, GENERATION, NOW, ALERTING))
                    .isEqualTo(Verdict.unchanged(present));
        }
    }

    @Test
    void streamClosed_ofAnotherGeneration_isStale() {
        Seat seat = Seats.live(PRESENT, 3);
        assertRefused(
                SessionRules.streamClosed(seat, OPEN, GENERATION - 1, NOW, ALERTING), Refusal.STALE_GENERATION, seat);
    }

    // The loss of a node

    @Test
    void nodeLost_ofTheCurrentGeneration_makesAPresentSessionSuspectAndNeverAbsent() {
        Seat before = Seats.live(PRESENT, 3);
        Verdict verdict = SessionRules.nodeLost(before, OPEN, GENERATION, NOW, ALERTING);
        assertThat(verdict.seat().state()).isEqualTo(SUSPECT);
        assertThat(verdict.seat().leaseUntil()).isEqualTo(before.leaseUntil());
        assertTold(verdict, PARTICIPANT_SUSPECTED, PRESENT, SUSPECT, GENERATION, "node-lost");
        assertThat(SessionRules.nodeLost(verdict.seat(), OPEN, GENERATION, NOW, ALERTING))
                .isEqualTo(Verdict.unchanged(verdict.seat()));
    }

    @Test
    void nodeLost_ofAnySessionThatIsNotPresent_changesNothing() {
        for (Seat seat : List.of(
                Seats.live(SUSPECT, 3), Seats.live(SUSPENDED, 3), Seats.ended(Ending.LEFT), Seats.live(PRESENT, 0))) {
            assertThat(SessionRules.nodeLost(seat, OPEN, GENERATION, NOW, ALERTING))
                    .isEqualTo(Verdict.unchanged(seat));
        }
        Seat present = Seats.live(PRESENT, 3);
        for (RoomState room : List.of(CLOSING, CLOSED)) {
            assertThat(SessionRules.nodeLost(present, room, GENERATION, NOW, ALERTING))
                    .isEqualTo(Verdict.unchanged(present));
        }
    }

    @Test
    void nodeLost_ofAnotherGeneration_isStale() {
        Seat seat = Seats.live(PRESENT, 3);
        assertRefused(SessionRules.nodeLost(seat, OPEN, GENERATION - 1, NOW, ALERTING), Refusal.STALE_GENERATION, seat);
    }

    // Joins

    @Test
    void join_neverJoined_isGenerationOne() {
        Verdict verdict = SessionRules.join(Seat.empty(TERMS), OPEN, false, NOW, ALERTING);
        assertThat(verdict.seat()).isEqualTo(new Seat(PRESENT, 1, FRESH, NOW, NOW, null, Seat.NO_COUNTER, null, TERMS));
        assertTold(verdict, PARTICIPANT_JOINED, ABSENT, PRESENT, 1, null);
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void join_absent_startsAnew(Ending ending) {
        Verdict verdict = SessionRules.join(Seats.ended(ending), OPEN, false, NOW, ALERTING);
        assertThat(verdict.seat())
                .isEqualTo(new Seat(PRESENT, GENERATION + 1, FRESH, NOW, NOW, null, Seat.NO_COUNTER, null, TERMS));
        assertTold(verdict, PARTICIPANT_JOINED, ABSENT, PRESENT, GENERATION + 1, null);
    }

    @ParameterizedTest
    @EnumSource(
            value = SessionState.class,
            names = {"PRESENT", "SUSPECT", "SUSPENDED"})
    void join_live_takesOverUnderTheNextGeneration(SessionState state) {
        Seat before = Seats.live(state, 100);
        Verdict verdict = SessionRules.join(before, OPEN, false, NOW, ALERTING);
        // The lease is a fresh one, also where the old one was longer; who was in stays in since then.
        assertThat(verdict.seat())
                .isEqualTo(new Seat(
                        PRESENT, GENERATION + 1, FRESH, NOW, before.joinedAt(), null, Seat.NO_COUNTER, null, TERMS));
        assertTold(verdict, PARTICIPANT_RECONNECTED, state, PRESENT, GENERATION + 1, null);
    }

    @Test
    void join_lapsed_writesTheExpiryFirst() {
        Verdict verdict = SessionRules.join(Seats.live(SUSPECT, -1), OPEN, false, NOW, ALERTING);
        assertThat(verdict.refusal()).isNull();
        assertThat(verdict.transitions())
                .containsExactly(
                        new Transition(PARTICIPANT_EXPIRED, SUSPECT, ABSENT, GENERATION, null),
                        new Transition(PARTICIPANT_JOINED, ABSENT, PRESENT, GENERATION + 1, null));
        assertThat(verdict.seat().joinedAt()).isEqualTo(NOW);
    }

    @Test
    void join_full_refusesOnlyWhoIsNotIn() {
        assertThat(SessionRules.join(Seats.live(SUSPENDED, 1), OPEN, true, NOW, ALERTING)
                        .refusal())
                .isNull();
        assertRefused(
                SessionRules.join(Seats.ended(Ending.LEFT), OPEN, true, NOW, ALERTING),
                Refusal.ROOM_FULL,
                Seats.ended(Ending.LEFT));
        Verdict lapsed = SessionRules.join(Seats.live(PRESENT, 0), OPEN, true, NOW, ALERTING);
        assertThat(lapsed.refusal()).isEqualTo(Refusal.ROOM_FULL);
        assertTold(lapsed, PARTICIPANT_EXPIRED, PRESENT, ABSENT, GENERATION, null);
    }

    @TestFactory
    List<DynamicTest> join_roomNotOpen_isRefusedWhateverTheSeat() {
        return java.util.stream.Stream.of(
                        Seat.empty(TERMS),
                        Seats.live(PRESENT, 9),
                        Seats.live(SUSPECT, -9),
                        Seats.live(SUSPENDED, 9),
                        Seats.ended(Ending.ROOM_CLOSED))
                .map(seat -> DynamicTest.dynamicTest(seat.state() + " " + seat.generation(), () -> {
                    for (boolean full : new boolean[] {true, false}) {
                        assertRefused(
                                SessionRules.join(seat, CLOSING, full, NOW, ALERTING), Refusal.ROOM_CLOSING, seat);
                        assertRefused(SessionRules.join(seat, CLOSED, full, NOW, ALERTING), Refusal.ROOM_CLOSED, seat);
                    }
                }))
                .toList();
    }

    // Joining again under the same key

    @Test
    void joinAgain_currentAndUnexpired_isARenewal() {
        Verdict verdict = SessionRules.joinAgain(Seats.live(PRESENT, 3), OPEN, GENERATION, NOW, ALERTING);
        assertThat(verdict.refusal()).isNull();
        assertThat(verdict.transitions()).isEmpty();
        assertThat(verdict.seat().generation()).isEqualTo(GENERATION);
        assertThat(verdict.seat().leaseUntil()).isEqualTo(FRESH);
        assertThat(verdict.seat().counter()).isEqualTo(10);
    }

    @Test
    void joinAgain_superseded_isStale() {
        assertRefused(
                SessionRules.joinAgain(Seats.live(PRESENT, 3), OPEN, GENERATION - 1, NOW, ALERTING),
                Refusal.STALE_GENERATION,
                Seats.live(PRESENT, 3));
    }

    @Test
    void joinAgain_lapsed_expiresAndHasEnded() {
        Verdict verdict = SessionRules.joinAgain(Seats.live(PRESENT, 0), OPEN, GENERATION, NOW, ALERTING);
        assertThat(verdict.refusal()).isEqualTo(Refusal.SESSION_ENDED);
        assertTold(verdict, PARTICIPANT_EXPIRED, PRESENT, ABSENT, GENERATION, null);
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void joinAgain_ended_staysEnded(Ending ending) {
        assertRefused(
                SessionRules.joinAgain(Seats.ended(ending), OPEN, GENERATION, NOW, ALERTING),
                Refusal.SESSION_ENDED,
                Seats.ended(ending));
    }

    @Test
    void joinAgain_roomNotOpen_saysSo() {
        Seat seat = Seats.live(PRESENT, 3);
        assertRefused(SessionRules.joinAgain(seat, CLOSING, GENERATION, NOW, ALERTING), Refusal.ROOM_CLOSING, seat);
        assertRefused(SessionRules.joinAgain(seat, CLOSED, GENERATION, NOW, ALERTING), Refusal.ROOM_CLOSED, seat);
    }

    // Renewals

    @Test
    void renew_present_takesTheLaterLeaseAndTellsNothing() {
        Verdict shorter = SessionRules.renew(Seats.live(PRESENT, 3), OPEN, GENERATION, null, NOW, ALERTING);
        assertThat(shorter.seat().leaseUntil()).isEqualTo(FRESH);
        assertThat(shorter.seat().provenAt()).isEqualTo(NOW);
        assertThat(shorter.transitions()).isEmpty();
        assertThat(shorter.refusal()).isNull();

        Verdict longer = SessionRules.renew(Seats.live(PRESENT, 100), OPEN, GENERATION, null, NOW, ALERTING);
        assertThat(longer.seat().leaseUntil()).isEqualTo(NOW.plusSeconds(100));
    }

    @Test
    void renew_suspect_recoversAndNeverShortens() {
        Verdict verdict = SessionRules.renew(Seats.live(SUSPECT, 100), OPEN, GENERATION, null, NOW, ALERTING);
        assertThat(verdict.seat().leaseUntil()).isEqualTo(NOW.plusSeconds(100));
        assertThat(verdict.seat().suspectAt()).isNull();
        assertTold(verdict, PARTICIPANT_RECOVERED, SUSPECT, PRESENT, GENERATION, null);
    }

    @Test
    void renew_suspended_goesBackToTheShortLease() {
        Verdict verdict = SessionRules.renew(Seats.live(SUSPENDED, 100), OPEN, GENERATION, null, NOW, ALERTING);
        assertThat(verdict.seat().leaseUntil()).isEqualTo(FRESH);
        assertTold(verdict, PARTICIPANT_RECOVERED, SUSPENDED, PRESENT, GENERATION, null);
    }

    // Suspending

    @Test
    void suspend_presentOrSuspect_takesTheLongLease() {
        for (SessionState state : List.of(PRESENT, SUSPECT)) {
            Verdict verdict = SessionRules.suspend(Seats.live(state, 3), OPEN, GENERATION, null, NOW, ALERTING);
            assertThat(verdict.seat().leaseUntil()).isEqualTo(NOW.plusSeconds(120));
            assertThat(verdict.seat().provenAt()).isEqualTo(NOW);
            assertThat(verdict.seat().suspectAt()).isNull();
            assertTold(verdict, PARTICIPANT_SUSPENDED, state, SUSPENDED, GENERATION, null);
        }
    }

    @Test
    void suspend_again_isSilentAndFresh() {
        Verdict verdict = SessionRules.suspend(Seats.live(SUSPENDED, 3), OPEN, GENERATION, null, NOW, ALERTING);
        assertThat(verdict.seat().state()).isEqualTo(SUSPENDED);
        assertThat(verdict.seat().leaseUntil()).isEqualTo(NOW.plusSeconds(120));
        assertThat(verdict.transitions()).isEmpty();
    }

    // Counters

    @Test
    void counter_lowerThanSeen_hasNoEffect() {
        Seat suspended = Seats.live(SUSPENDED, 3);
        assertThat(SessionRules.renew(suspended, OPEN, GENERATION, 9L, NOW, ALERTING))
                .isEqualTo(Verdict.unchanged(suspended));
        Seat present = Seats.live(PRESENT, 3);
        assertThat(SessionRules.suspend(present, OPEN, GENERATION, 0L, NOW, ALERTING))
                .isEqualTo(Verdict.unchanged(present));
    }

    @Test
    void counter_equalOrHigher_isKept() {
        Seat present = Seats.live(PRESENT, 3);
        assertThat(SessionRules.renew(present, OPEN, GENERATION, 10L, NOW, ALERTING)
                        .seat()
                        .leaseUntil())
                .isEqualTo(FRESH);
        assertThat(SessionRules.suspend(present, OPEN, GENERATION, 4_294_967_295L, NOW, ALERTING)
                        .seat()
                        .counter())
                .isEqualTo(4_294_967_295L);
    }

    @Test
    void counter_missing_leavesTheOldOne() {
        assertThat(SessionRules.renew(Seats.live(PRESENT, 3), OPEN, GENERATION, null, NOW, ALERTING)
                        .seat()
                        .counter())
                .isEqualTo(10);
    }

    @Test
    void counter_low_doesNotHideARefusal() {
        Seat lapsed = Seats.live(PRESENT, 0);
        assertThat(SessionRules.renew(lapsed, OPEN, GENERATION, 1L, NOW, ALERTING)
                        .refusal())
                .isEqualTo(Refusal.LEASE_EXPIRED);
        assertThat(SessionRules.renew(lapsed, OPEN, GENERATION - 1, 1L, NOW, ALERTING)
                        .refusal())
                .isEqualTo(Refusal.STALE_GENERATION);
    }

    // Leaving, removing

    @Test
    void leave_live_endsNow() {
        for (SessionState state : LIVE) {
            Verdict verdict = SessionRules.leave(Seats.live(state, 9), OPEN, GENERATION, NOW, ALERTING);
            assertEnded(verdict, Ending.LEFT);
            assertTold(verdict, PARTICIPANT_LEFT, state, ABSENT, GENERATION, null);
        }
    }

    @ParameterizedTest
    @EnumSource(RoomState.class)
    void leave_twice_isOnce(RoomState room) {
        Seat left = Seats.ended(Ending.LEFT);
        assertThat(SessionRules.leave(left, room, GENERATION, NOW, ALERTING)).isEqualTo(Verdict.unchanged(left));
    }

    @Test
    void leave_oldGenerationOfOneThatLeft_isStale() {
        assertRefused(
                SessionRules.leave(Seats.ended(Ending.LEFT), OPEN, GENERATION - 1, NOW, ALERTING),
                Refusal.STALE_GENERATION,
                Seats.ended(Ending.LEFT));
    }

    @Test
    void remove_live_endsNowWithItsReason() {
        for (SessionState state : LIVE) {
            Verdict verdict = SessionRules.remove(Seats.live(state, 9), OPEN, GENERATION, NOW, ALERTING);
            assertEnded(verdict, Ending.OPERATOR);
            assertTold(verdict, PARTICIPANT_REMOVED, state, ABSENT, GENERATION, "operator");
        }
    }

    @Test
    void remove_twice_isOnce() {
        Seat removed = Seats.ended(Ending.OPERATOR);
        assertThat(SessionRules.remove(removed, OPEN, GENERATION, NOW, ALERTING))
                .isEqualTo(Verdict.unchanged(removed));
    }

    // Media and doubts

    @Test
    void media_becameFailed_makesSuspectAndLeavesTheLease() {
        Verdict verdict = SessionRules.media(Seats.live(PRESENT, 9), OPEN, GENERATION, true, NOW, ALERTING);
        assertThat(verdict.seat().leaseUntil()).isEqualTo(NOW.plusSeconds(9));
        assertThat(verdict.seat().provenAt()).isEqualTo(NOW.minusSeconds(4));
        assertThat(verdict.seat().suspectAt()).isEqualTo(NOW);
        assertTold(verdict, PARTICIPANT_SUSPECTED, PRESENT, SUSPECT, GENERATION, "media-failed");
    }

    @Test
    void media_anyOtherReportOrState_changesNothing() {
        Seat present = Seats.live(PRESENT, 9);
        assertThat(SessionRules.media(present, OPEN, GENERATION, false, NOW, ALERTING))
                .isEqualTo(Verdict.unchanged(present));
        for (SessionState state : List.of(SUSPECT, SUSPENDED)) {
            Seat seat = Seats.live(state, 9);
            assertThat(SessionRules.media(seat, OPEN, GENERATION, true, NOW, ALERTING))
                    .isEqualTo(Verdict.unchanged(seat));
        }
    }

    @Test
    void doubt_onlyPresent_becomesSuspect() {
        Verdict verdict = SessionRules.doubt(Seats.live(PRESENT, 9), Doubt.HEARTBEAT_MISSED, NOW);
        assertThat(verdict.seat().leaseUntil()).isEqualTo(NOW.plusSeconds(9));
        assertTold(verdict, PARTICIPANT_SUSPECTED, PRESENT, SUSPECT, GENERATION, "heartbeat-missed");
        for (Seat seat : List.of(Seats.live(SUSPECT, 9), Seats.live(SUSPENDED, 9), Seats.ended(Ending.LEFT))) {
            assertThat(SessionRules.doubt(seat, Doubt.HEARTBEAT_MISSED, NOW)).isEqualTo(Verdict.unchanged(seat));
        }
    }

    // Expiry

    @Test
    void expire_lapsed_isToldOnceAndKeepsWhenItEnded() {
        for (SessionState state : LIVE) {
            Seat before = Seats.live(state, -7);
            Verdict verdict = SessionRules.expire(before, NOW, ALERTING);
            assertThat(verdict.seat().leaseUntil()).isEqualTo(before.leaseUntil());
            assertThat(verdict.seat().ending()).isEqualTo(Ending.EXPIRED);
            assertTold(verdict, PARTICIPANT_EXPIRED, state, ABSENT, GENERATION, null);
            assertThat(SessionRules.expire(verdict.seat(), NOW, ALERTING)).isEqualTo(Verdict.unchanged(verdict.seat()));
        }
    }

    @Test
    void expire_oneNanosecondLeft_doesNot() {
        Seat seat = Seats.live(PRESENT, 0);
        assertThat(SessionRules.expire(seat, NOW.minusNanos(1), ALERTING)).isEqualTo(Verdict.unchanged(seat));
        assertThat(SessionRules.expire(seat, NOW, ALERTING).transitions()).hasSize(1);
    }

    // The room closes

    @Test
    void roomCloses_unexpired_isRemoved() {
        for (SessionState state : LIVE) {
            Verdict verdict = SessionRules.roomCloses(Seats.live(state, 9), true, NOW, ALERTING);
            assertEnded(verdict, Ending.ROOM_CLOSED);
            assertTold(verdict, PARTICIPANT_REMOVED, state, ABSENT, GENERATION, "room-closed");
        }
    }

    @Test
    void roomCloses_lapsed_hasExpiredUnlessNobodyMayJudge() {
        assertTold(
                SessionRules.roomCloses(Seats.live(PRESENT, -1), true, NOW, ALERTING),
                PARTICIPANT_EXPIRED,
                PRESENT,
                ABSENT,
                GENERATION,
                null);
        Verdict outage = SessionRules.roomCloses(Seats.live(PRESENT, -1), false, NOW, ALERTING);
        assertTold(outage, PARTICIPANT_REMOVED, PRESENT, ABSENT, GENERATION, "room-closed");
        assertThat(outage.seat().leaseUntil()).isEqualTo(NOW.minusSeconds(1));
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void roomCloses_absent_changesNothing(Ending ending) {
        Seat seat = Seats.ended(ending);
        assertThat(SessionRules.roomCloses(seat, true, NOW, ALERTING)).isEqualTo(Verdict.unchanged(seat));
    }

    // The order of refusals: stale generation, room closing or closed, lease expired, session ended otherwise

    @TestFactory
    List<DynamicTest> refusals_everyCommand_areJudgedInOneOrder() {
        return COMMANDS.stream()
                .map(one -> DynamicTest.dynamicTest(one.name(), () -> assertOrder(one.command())))
                .toList();
    }

    private static void assertOrder(Command command) {
        for (long other : new long[] {1, GENERATION - 1, GENERATION + 1}) {
            for (RoomState room : RoomState.values()) {
                for (Seat seat : List.of(Seats.live(PRESENT, 9), Seats.live(SUSPECT, -9), Seats.ended(Ending.LEFT))) {
                    assertRefused(command.judge(seat, room, other), Refusal.STALE_GENERATION, seat);
                }
            }
        }
        for (Seat seat : List.of(Seats.live(PRESENT, 9), Seats.live(SUSPECT, -9), Seats.ended(Ending.EXPIRED))) {
            assertRefused(command.judge(seat, CLOSING, GENERATION), Refusal.ROOM_CLOSING, seat);
            assertRefused(command.judge(seat, CLOSED, GENERATION), Refusal.ROOM_CLOSED, seat);
        }
        for (SessionState state : LIVE) {
            Verdict lapsed = command.judge(Seats.live(state, 0), OPEN, GENERATION);
            assertThat(lapsed.refusal()).isEqualTo(Refusal.LEASE_EXPIRED);
            assertTold(lapsed, PARTICIPANT_EXPIRED, state, ABSENT, GENERATION, null);
            assertThat(lapsed.seat().ending()).isEqualTo(Ending.EXPIRED);
            // The second time there is nothing to write.
            assertRefused(command.judge(lapsed.seat(), OPEN, GENERATION), Refusal.LEASE_EXPIRED, lapsed.seat());
        }
        Seat closed = Seats.ended(Ending.ROOM_CLOSED);
        assertRefused(command.judge(closed, OPEN, GENERATION), Refusal.SESSION_ENDED, closed);
    }

    @Test
    void refusals_endedByTheOther_areSessionEnded() {
        Seat left = Seats.ended(Ending.LEFT);
        Seat removed = Seats.ended(Ending.OPERATOR);
        assertRefused(SessionRules.remove(left, OPEN, GENERATION, NOW, ALERTING), Refusal.SESSION_ENDED, left);
        assertRefused(SessionRules.leave(removed, OPEN, GENERATION, NOW, ALERTING), Refusal.SESSION_ENDED, removed);
        assertRefused(
                SessionRules.renew(removed, OPEN, GENERATION, null, NOW, ALERTING), Refusal.SESSION_ENDED, removed);
    }

    @Test
    void commands_sessionNeverJoined_areStale() {
        Seat empty = Seat.empty(TERMS);
        for (Named one : COMMANDS) {
            assertRefused(one.command().judge(empty, OPEN, 1), Refusal.STALE_GENERATION, empty);
        }
    }

    private static void assertEnded(Verdict verdict, Ending ending) {
        assertThat(verdict.refusal()).isNull();
        assertThat(verdict.seat().state()).isEqualTo(ABSENT);
        assertThat(verdict.seat().leaseUntil()).isEqualTo(NOW);
        assertThat(verdict.seat().ending()).isEqualTo(ending);
        assertThat(verdict.seat().suspectAt()).isNull();
        assertThat(verdict.seat().generation()).isEqualTo(GENERATION);
    }

    private static void assertRefused(Verdict verdict, Refusal refusal, Seat unchanged) {
        assertThat(verdict).isEqualTo(Verdict.refused(unchanged, refusal));
    }

    private static void assertTold(
            Verdict verdict,
            EventType type,
            SessionState prior,
            SessionState next,
            long generation,
            @Nullable String reason) {
        assertThat(verdict.transitions()).containsExactly(new Transition(type, prior, next, generation, reason));
        assertThat(verdict.seat().state()).isEqualTo(next);
    }
}
