package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where several refusals are right, the order decides: not found, stale, room not open, lease expired, ended. */
class RefusalsIT extends Contract {
    /** The commands that name a generation. */
    enum Command {
        RENEW,
        SUSPEND,
        MEDIA,
        LEAVE,
        REMOVE
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void unknownRoomOrSession_whateverElse_isNotFoundFirst(Command command) {
        Membership ada = joined("ada");
        operatorWithReason().close(ada.room()).assertStatus(200);
        Membership nowhere = new Membership(ada.api(), ada.room(), "s-00000000000000000000000000", 7);
        Membership elsewhere = new Membership(ada.api(), "r-00000000000000000000000000", ada.session(), 7);

        send(command, nowhere).assertProblem(404, "session-not-found");
        if (command != Command.REMOVE) {
            send(command, elsewhere).assertProblem(404, "room-not-found");
        }
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void staleGeneration_inAClosedRoom_isStale(Command command) {
        Membership first = joined("ada");
        first.again();
        operatorWithReason().close(first.room()).assertStatus(200);

        send(command, first).assertProblem(409, "stale-generation");
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void staleGeneration_ofALapsedLease_isStaleAndWritesNothing(Command command) {
        Membership first = joined("ada");
        first.again();
        long seq = seq(first.room());

        site.withoutSweep(() -> {
            lapse(first.session());
            send(command, first).assertProblem(409, "stale-generation");
            assertThat(events(first.room(), seq)).isEmpty();
        });
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void lapsedLease_inAClosingRoom_isRoomClosing(Command command) {
        Membership ada = joined("ada");
        stopHalfClosed(ada.room());
        lapse(ada.session());
        long seq = seq(ada.room());

        send(command, ada).assertProblem(409, "room-closing");
        assertThat(events(ada.room(), seq)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void endedByTheClose_isRoomClosed(Command command) {
        Membership ada = joined("ada");
        operatorWithReason().close(ada.room()).assertStatus(200);

        send(command, ada).assertProblem(409, "room-closed");
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void leftBeforeTheClose_isRoomClosedAndLeavingIsRepeatable(Command command) {
        Membership ada = joined("ada");
        ada.leave().assertStatus(204);
        operatorWithReason().close(ada.room()).assertStatus(200);

        Answer answer = send(command, ada);
        if (command == Command.LEAVE) {
            answer.assertStatus(204);
        } else {
            answer.assertProblem(409, "room-closed");
        }
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void lapsedLease_notSweptYet_isExpiredThereAndThenOnce(Command command) {
        Membership ada = joined("ada");
        long seq = seq(ada.room());

        site.withoutSweep(() -> {
            lapse(ada.session());
            send(command, ada).assertProblem(410, "lease-expired");
            assertThat(row(ada.session()).state()).isEqualTo("absent");
            assertThat(eventTypes(ada.room(), seq)).containsExactly("participant.expired");
            send(command, ada).assertProblem(410, "lease-expired");
        });
        assertThat(eventTypes(ada.room(), seq)).containsExactly("participant.expired");
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void expiredLease_sweptAlready_isLeaseExpired(Command command) {
        Membership ada = joined("ada");
        lapse(ada.session());
        awaitState(ada.session(), "absent");

        send(command, ada).assertProblem(410, "lease-expired");
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void endedOtherwise_isSessionEnded(Command command) {
        Membership left = joined("ada");
        left.leave().assertStatus(204);
        Membership removed = joined("bob");
        send(Command.REMOVE, removed).assertStatus(204);

        if (command != Command.LEAVE) {
            send(command, left).assertProblem(410, "session-ended");
        }
        if (command != Command.REMOVE) {
            send(command, removed).assertProblem(410, "session-ended");
        }
    }

    @Test
    void join_afterALeaseRanOutUnswept_tellsTheExpiryFirst() {
        Membership ada = joined("ada");
        long seq = seq(ada.room());

        site.withoutSweep(() -> {
            lapse(ada.session());
            ada.api().join(ada.room()).assertStatus(200);
        });

        assertThat(eventTypes(ada.room(), seq)).containsExactly("participant.expired", "participant.joined");
        assertThat(row(ada.session()).generation()).isEqualTo(2);
    }

    @Test
    void join_ofARoomThatIsNotOpen_isRefused() {
        Api ada = participant("ada");
        String closing = openRoom(ada);
        stopHalfClosed(closing);
        String closed = openRoom(ada);
        ada.close(closed).assertStatus(200);

        ada.join(closing).assertProblem(409, "room-closing");
        ada.join(closed).assertProblem(409, "room-closed");
        assertThat(site.store().column("SELECT id FROM room_session WHERE room_id IN (?, ?)", closing, closed))
                .isEmpty();
    }

    @Test
    void removal_ofAGhost_isSeenAtOnceAndItsLateRenewalEnded() {
        Membership ghost = joined("ada");
        send(Command.REMOVE, ghost).assertStatus(204);

        assertThat(roster(ghost.room())).isEmpty();
        ghost.renew().assertProblem(410, "session-ended");
        assertThat(eventTypes(ghost.room(), 2)).containsExactly("participant.removed");
    }

    private Answer send(Command command, Membership membership) {
        return switch (command) {
            case RENEW -> membership.renew();
            case SUSPEND -> membership.suspend();
            case MEDIA -> membership.media("connected");
            case LEAVE -> membership.leave();
            case REMOVE ->
                operatorWithReason()
                        .post(
                                "/admin/sessions/" + membership.session() + "/remove",
                                Api.json()
                                        .add("generation", membership.generation())
                                        .build());
        };
    }
}
