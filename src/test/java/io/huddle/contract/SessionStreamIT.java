package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.StreamClient;
import io.huddle.harness.StreamClient.Close;
import io.huddle.harness.TcpProxy;
import io.huddle.wire.ULeaveRequest;
import io.huddle.wire.ULeaveResponse;
import io.huddle.wire.UMediaStateRequest;
import io.huddle.wire.UMediaStateResponse;
import io.huddle.wire.URenewRequest;
import io.huddle.wire.URenewResponse;
import io.huddle.wire.USuspendRequest;
import io.huddle.wire.USuspendResponse;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Sessions and their streams: commands over the stream, what a stream's end does, what ends a stream. */
class SessionStreamIT extends StreamContract {
    private static final Duration FENCED = Duration.ofSeconds(4);

    @Test
    void renew_overTheStream_lengthensTheLease() {
        Member ada = member("ada", openRoom(participant("ada")));
        Instant before = row(ada.session()).leaseUntil();
        site.advance(Duration.ofSeconds(5));

        URenewResponse renewed = ada.renew();

        assertThat(renewed.getState()).isEqualTo("present");
        assertThat(row(ada.session()).leaseUntil()).isAfterOrEqualTo(before.plusSeconds(5));
        assertThat(Instant.parse(renewed.getLeaseUntil()))
                .isBetween(before, row(ada.session()).leaseUntil());
        assertThat(eventTypes(ada.membership().room(), 2)).isEmpty();
    }

    @Test
    void suspendAndRenew_overTheStream_areToldOnceEach() {
        Member ada = member("ada", openRoom(participant("ada")));
        USuspendRequest suspend = USuspendRequest.newBuilder()
                .setSession(ada.session())
                .setGeneration(ada.generation())
                .setCounter(7)
                .build();

        assertThat(ada.stream().call(suspend, USuspendResponse.class).getState())
                .isEqualTo("suspended");
        URenewRequest late = ada.renewal().toBuilder().setCounter(6).build();
        assertThat(ada.stream().call(late, URenewResponse.class).getState()).isEqualTo("suspended");
        assertThat(ada.renew().getState()).isEqualTo("present");

        assertThat(eventTypes(ada.membership().room(), 2))
                .containsExactly("participant.suspended", "participant.recovered");
    }

    @Test
    void leave_overTheStream_isAnsweredAndThenEndsTheStream() {
        Member ada = member("ada", openRoom(participant("ada")));

        ada.stream().call(leave(ada), ULeaveResponse.class);

        assertThat(ada.stream().awaitClose()).isEqualTo(new Close(4004, "left"));
        assertThat(row(ada.session()).ending()).isEqualTo("left");
        assertThat(eventTypes(ada.membership().room(), 2)).containsExactly("participant.left");
    }

    @Test
    void media_overTheStream_obeysTheRulesOfRest() {
        Member ada = member("ada", openRoom(participant("ada")));
        UMediaStateRequest.Builder report = UMediaStateRequest.newBuilder()
                .setSession(ada.session())
                .setGeneration(ada.generation())
                .setState("failed")
                .setFlowing(false)
                .setRttMs(40)
                .setPacketsLost(-1);

        ada.stream().call(report.build(), UMediaStateResponse.class);

        assertThat(row(ada.session()).state()).isEqualTo("suspect");
        assertThat(site.store().column("SELECT media_packets_lost FROM room_session WHERE id = ?", ada.session()))
                .containsExactly(4_294_967_295L);
        assertThat(ada.stream().fails(report.setState("fine").build()).error()).startsWith("invalid-request: state");
        assertThat(ada.stream()
                        .fails(report.setState("new").setRttMs(3_600_001).build())
                        .error())
                .startsWith("invalid-request: rttMs");
    }

    @Test
    void command_ofAnotherSessionOrGeneration_isRefused() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        Member bob = member("bob", room);
        double stale = Metrics.of(site).stale("renew");

        StreamClient.Failed other = ada.stream().fails(bob.renewal());
        StreamClient.Failed newer =
                ada.stream().fails(ada.renewal().toBuilder().setGeneration(2).build());

        assertThat(other.error()).isEqualTo("session-not-found");
        assertThat(other.isUserError()).isTrue();
        assertThat(newer.error()).isEqualTo("stale-generation");
        assertThat(Metrics.of(site).stale("renew")).isEqualTo(stale + 1);
        assertThat(ada.stream()
                        .fails(ada.renewal().toBuilder().clearGeneration().build())
                        .error())
                .startsWith("invalid-request: generation");
        assertThat(row(bob.session()).state()).isEqualTo("present");
    }

    @Test
    void renewals_overTheStream_shareTheirLimitWithRest() {
        Member ada = member("ada", openRoom(participant("ada")));
        for (int i = 0; i < 40; i++) {
            Answer unused = ada.membership().renew();
        }
        Awaiting.until("refused", () -> {
            try {
                return !ada.renew().getState().equals("present");
            } catch (StreamClient.Failed failed) {
                return failed.error().equals("too-many-requests");
            }
        });
    }

    @Test
    void key_ofAnIntegrator_actsForItsTeamOnly() {
        Member ada = member("ada", openRoom(participant("ada")));
        StreamClient mine = client("integrator", team);
        StreamClient others = client("integrator", "team-of-others");

        assertThat(mine.call(ada.renewal(), URenewResponse.class).getState()).isEqualTo("present");
        assertThat(others.fails(ada.renewal()).error()).isEqualTo("session-not-found");
        mine.call(leave(ada), ULeaveResponse.class);

        assertThat(ada.stream().awaitClose()).isEqualTo(new Close(4004, "left"));
        assertThat(mine.fails(ada.renewal()).error()).isEqualTo("session-ended");
        assertThat(mine.isClosed()).isFalse();
    }

    @Test
    void key_ofAParticipant_actsForItselfOnly() {
        String id = "c-" + unique();
        String room = openRoom(integrator());
        Member ada = member("ada", room);
        Membership own = Membership.of(integrator(), integrator().joinAs(room, id));
        StreamClient key = client(id, "participant", team);

        assertThat(key.fails(ada.renewal()).error()).isEqualTo("session-not-found");
        URenewRequest renewal = URenewRequest.newBuilder()
                .setSession(own.session())
                .setGeneration((int) own.generation())
                .build();
        assertThat(key.call(renewal, URenewResponse.class).getState()).isEqualTo("present");
    }

    @Test
    void stream_endingWithoutAWord_makesItsSessionSuspect() {
        Member ada = member("ada", openRoom(participant("ada")));
        Instant lease = row(ada.session()).leaseUntil();

        ada.stream().abort();

        Row row = awaitState(ada.session(), "suspect");
        assertThat(row.leaseUntil()).isEqualTo(lease);
        assertThat(events(ada.membership().room(), 2))
                .singleElement()
                .satisfies(event -> assertThat(event.getString("reason")).isEqualTo("stream-closed"));
        ada.membership().renew().assertStatus(200);
        assertThat(row(ada.session()).state()).isEqualTo("present");
    }

    @Test
    void suspendedSession_whoseStreamEnds_staysSuspended() {
        Member ada = member("ada", openRoom(participant("ada")));
        ada.membership().suspend().assertStatus(200);
        double before = Metrics.of(site).value("huddle_streams_departed_total", "outcome", "unchanged");

        ada.stream().goodbye();

        Awaiting.until(
                "the end was looked at",
                () -> Metrics.of(site).value("huddle_streams_departed_total", "outcome", "unchanged") > before);
        assertThat(row(ada.session()).state()).isEqualTo("suspended");
    }

    @Test
    void sessionThatEnds_endsItsStreamWithTheReason() {
        String room = openRoom(participant("ada"));
        Member left = member("ada", room);
        Member removed = member("bob", room);
        Member expired = member("cyd", room);
        Member closed = member("dee", room);

        left.membership().leave().assertStatus(204);
        operatorWithReason()
                .post(
                        "/admin/sessions/" + removed.session() + "/remove",
                        Api.json().add("generation", 1).build())
                .assertStatus(204);
        lapse(expired.session());

        assertThat(left.stream().awaitClose(FENCED)).isEqualTo(new Close(4004, "left"));
        assertThat(removed.stream().awaitClose(FENCED)).isEqualTo(new Close(4004, "operator"));
        assertThat(expired.stream().awaitClose(FENCED)).isEqualTo(new Close(4004, "expired"));
        participant("ada").close(room).assertStatus(200);
        assertThat(closed.stream().awaitClose(FENCED)).isEqualTo(new Close(4004, "room-closed"));
        assertThat(eventTypes(room, 5)).doesNotContain("participant.suspected");
    }

    @Test
    void sessionThatEnds_onAnotherNode_endsItsStreamHere() {
        Member ada = member("ada", openRoom(participant("ada")));
        Member bob = member("bob", openRoom(participant("bob")));

        // Written past this node, as another one does: no event of a transaction tells this one.
        change("UPDATE room_session SET state = 'absent', ending = 'operator' WHERE id = ?", ada.session());
        change("UPDATE room_session SET generation = 2 WHERE id = ?", bob.session());

        assertThat(ada.stream().awaitClose(FENCED)).isEqualTo(new Close(4004, "operator"));
        assertThat(bob.stream().awaitClose(FENCED).code()).isEqualTo(4002);
    }

    @Test
    void lateCloseOfAnOlderStream_leavesTheNewerGenerationAlone() throws Exception {
        // Case 8: an old socket's close, thirty seconds late, removed the user who had come back meanwhile.
        Api api = participant("ada");
        String room = openRoom(api);
        Answer first = api.join(room);
        Membership older = Membership.of(api, first);
        try (TcpProxy proxy = TcpProxy.to(site.node().port())) {
            StreamClient old = keep(StreamClient.to(proxy.port())
                    .ticket(StreamClient.ticket(first))
                    .connect());
            proxy.stall();
            double stale = Metrics.of(site).stale("leave");

            Member newer = member(api, room);
            proxy.cut();
            assertThat(old.awaitClose().code()).isIn(1006, 4002);
            older.leave().assertProblem(409, "stale-generation");

            assertThat(newer.renew().getState()).isEqualTo("present");
            assertThat(newer.stream().isClosed()).isFalse();
            assertThat(Metrics.of(site).stale("leave")).isEqualTo(stale + 1);
            assertThat(eventTypes(room, 2)).containsExactly("participant.reconnected");
        }
    }

    @Test
    void streamWithoutATicket_isRefusedAndTouchesNobody() {
        // Case 10: a reconnect without a session id counted as a duplicate, and the one who was there was kicked.
        Member ada = member("ada", openRoom(participant("ada")));

        assertThatExceptionOfType(StreamClient.Refused.class)
                .isThrownBy(() -> StreamClient.to(site.node()).open())
                .satisfies(refused -> assertThat(refused.status()).isBetween(400, 403));
        assertThatExceptionOfType(StreamClient.Refused.class)
                .isThrownBy(() ->
                        StreamClient.to(site.node()).with("cid", ada.session()).open());

        assertThat(ada.renew().getState()).isEqualTo("present");
        assertThat(eventTypes(ada.membership().room(), 2)).isEmpty();
    }

    @Test
    void streamsThatBreakWhileTheyConnect_leaveNobodyAndNoNegativeGauge() {
        // Case 17: streams that were reserved and never activated told that somebody had left, and counted below zero.
        Api api = participant("ada");
        String room = openRoom(api);
        for (int i = 0; i < 8; i++) {
            StreamClient.to(site.node(), api.join(room)).open().abort();
        }
        Member ada = member(api, room);

        assertThat(ada.renew().getState()).isEqualTo("present");
        assertThat(eventTypes(room, 1)).doesNotContain("participant.left", "participant.expired");
        assertThat(Metrics.of(site).samples())
                .filteredOn(sample -> sample.name().contains("stream"))
                .isNotEmpty()
                .allSatisfy(
                        sample -> assertThat(sample.value()).as("%s", sample).isNotNegative());
    }

    private static ULeaveRequest leave(Member member) {
        return ULeaveRequest.newBuilder()
                .setSession(member.session())
                .setGeneration(member.generation())
                .build();
    }
}
