package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.huddle.harness.Awaiting;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DSignalRequest;
import io.huddle.wire.DSignalResponse;
import io.huddle.wire.USignalRequest;
import io.huddle.wire.USignalResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Signals between the members of a room. */
class SignalsIT extends StreamContract {
    private static final String SECRET = "v=0 candidate 203.0.113.7 never in a log";

    @Test
    void signal_toAnotherMember_arrivesAsItWasSent() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        Member bob = member("bob", room);
        bob.stream().answer(DSignalRequest.class, signal -> DSignalResponse.getDefaultInstance());
        double before = Metrics.of(site).value("huddle_signals_total", "kind", "offer", "outcome", "delivered");

        USignalResponse answer = ada.stream().call(signal(room, bob, "offer", SECRET), USignalResponse.class);

        assertThat(answer.getDelivered()).isTrue();
        assertThat(bob.stream().requests(DSignalRequest.class))
                .containsExactly(DSignalRequest.newBuilder()
                        .setRoom(room)
                        .setFromSession(ada.session())
                        .setGeneration(1)
                        .setKind("offer")
                        .setPayload(SECRET)
                        .build());
        assertThat(Metrics.of(site).value("huddle_signals_total", "kind", "offer", "outcome", "delivered"))
                .isEqualTo(before + 1);
        assertThat(site.node().log()).doesNotContain("203.0.113.7");
    }

    /** A burst for every peer of a full room, then so many a second; the stream stays, and goes on when it has waited. */
    @Test
    void signals_moreThanABurst_areRefusedAndTheStreamStays() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        Membership bob = Membership.of(participant("bob"), participant("bob").join(room));
        USignalRequest signal = USignalRequest.newBuilder()
                .setRoom(room)
                .setToSession(bob.session())
                .setKind("candidate")
                .setPayload("p")
                .build();
        String refused = "";
        for (int i = 0; i < 20_000 && refused.isEmpty(); i += 50) {
            if (i % 500 == 0) {
                ada.renew();
            }
            List<CompletableFuture<Message>> answers = new ArrayList<>();
            for (int j = 0; j < 50; j++) {
                answers.add(ada.stream().callLater(signal));
            }
            for (CompletableFuture<Message> answer : answers) {
                Throwable failed = answer.handle((done, why) -> why).join();
                refused = failed == null ? refused : String.valueOf(failed.getMessage());
            }
        }

        assertThat(refused).contains("too-many-requests");
        Awaiting.until(
                "a signal passes again",
                () -> ada.stream()
                        .callLater(signal)
                        .handle((done, failed) -> failed == null)
                        .join());
    }

    @Test
    void signals_ofOneSender_arriveInTheirOrder() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        Member bob = member("bob", room);
        bob.stream().answer(DSignalRequest.class, signal -> DSignalResponse.getDefaultInstance());
        List<String> sent =
                IntStream.range(0, 50).mapToObj(i -> "candidate " + i).toList();
        List<CompletableFuture<Message>> answers = new ArrayList<>();

        sent.forEach(payload -> answers.add(ada.stream().callLater(signal(room, bob, "candidate", payload))));
        bob.stream().await(DSignalRequest.class, sent.size());

        assertThat(bob.stream().requests(DSignalRequest.class))
                .extracting(DSignalRequest::getPayload)
                .containsExactlyElementsOf(sent);
        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer.join())
                        .isEqualTo(
                                USignalResponse.newBuilder().setDelivered(true).build()));
    }

    @Test
    void signal_toAMemberWithoutAStream_isNotDelivered() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        Member bob = member("bob", room);
        bob.stream().abort();
        awaitState(bob.session(), "suspect");

        assertThat(ada.stream()
                        .call(signal(room, bob, "bye", ""), USignalResponse.class)
                        .getDelivered())
                .isFalse();
    }

    @Test
    void signal_thatNobodyAcknowledges_isNotDelivered() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        Member bob = member("bob", room);
        bob.stream().answerLater(DSignalRequest.class, signal -> new CompletableFuture<DSignalResponse>());

        assertThat(ada.stream()
                        .call(signal(room, bob, "offer", "x"), USignalResponse.class)
                        .getDelivered())
                .isFalse();
        assertThat(bob.stream().requests(DSignalRequest.class)).hasSize(1);
    }

    @Test
    void signal_outOfItsRoom_isRefused() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        String other = openRoom(participant("bob"));
        Member bob = member("bob", other);
        Member gone = member("cyd", room);
        gone.membership().leave().assertStatus(204);

        assertThat(error(ada, signal(other, bob, "offer", "x"))).isEqualTo("room-not-found");
        assertThat(error(ada, signal(room, bob, "offer", "x"))).isEqualTo("session-not-found");
        assertThat(error(ada, signal(room, gone, "offer", "x"))).isEqualTo("session-not-found");
        assertThat(error(ada, signal(room, ada, "offer", "x"))).startsWith("invalid-request");
        assertThat(error(ada, signal(room, bob, "hello", "x"))).startsWith("invalid-request: kind");
        assertThat(error(ada, signal(room, gone, "offer", "x".repeat(65_537)))).isEqualTo("payload-too-large");
        assertThat(client("integrator", team)
                        .fails(signal(room, ada, "offer", "x"))
                        .error())
                .isEqualTo("forbidden");
    }

    @Test
    void signal_toALapsedLease_isRefused_sweptOrNot() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        Member bob = member("bob", room);
        site.withoutSweep(() -> {
            lapse(bob.session());
            assertThat(error(ada, signal(room, bob, "offer", "x"))).isEqualTo("session-not-found");
            lapse(ada.session());
            assertThat(error(ada, signal(room, bob, "offer", "x"))).isEqualTo("lease-expired");
        });
    }

    private static String error(Member from, USignalRequest request) {
        StreamClient.Failed failed = from.stream().fails(request);
        assertThat(failed.isUserError()).isTrue();
        return failed.error();
    }

    private static USignalRequest signal(String room, Member to, String kind, String payload) {
        return USignalRequest.newBuilder()
                .setRoom(room)
                .setToSession(to.session())
                .setKind(kind)
                .setPayload(payload)
                .build();
    }
}
