package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.huddle.client.HuddleFailure.Reason;
import io.huddle.harness.Awaiting;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.RequestAck;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.UCallResponse;
import io.huddle.wire.UEchoRequest;
import io.huddle.wire.UEchoResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CallsTest extends PeerTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final HuddleClient client = client(options());

    @Test
    void call_answered_completes() {
        Peer.Stream stream = connect(client);
        CompletableFuture<UEchoResponse> answer = call("hello");
        ClientMessage request = request(stream, "hello");
        assertThat(request.getReply()).isFalse();
        stream.send(echo(request, "hello back"));
        assertThat(get(answer).getMessage()).isEqualTo("hello back");
    }

    @Test
    void call_answeredWithAnError_failsWithItsTextAndFlag() {
        Peer.Stream stream = connect(client);
        CompletableFuture<UEchoResponse> answer = call("hello");
        stream.send(reply(request(stream, "hello").getRequestId())
                .setError("stale-generation")
                .setUserError(true));
        Throwable failed = catchThrowable(() -> get(answer)).getCause();
        assertThat(failed).isInstanceOfSatisfying(RemoteError.class, error -> {
            assertThat(error.error()).isEqualTo("stale-generation");
            assertThat(error.isUserError()).isTrue();
        });
    }

    @Test
    void call_withoutAnAnswer_endsAtItsDeadlineAndALateAnswerDoesNoHarm() {
        Peer.Stream stream = connect(client);
        CompletableFuture<UEchoResponse> answer =
                client.call(UEchoRequest.newBuilder().setMessage("slow").build(), UEchoResponse.class, ms(200));
        ClientMessage request = request(stream, "slow");
        assertThat(failure(answer)).isEqualTo(Reason.DEADLINE_EXCEEDED);
        stream.send(echo(request, "late"));
        Awaiting.holds(ms(300), "connected", client::isConnected);

        // The second late answer is one too many.
        stream.send(echo(request, "late again"));
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void answer_toNoRequest_closesWith4000() {
        Peer.Stream stream = connect(client);
        stream.send(reply("77").setUEchoResponse(UEchoResponse.getDefaultInstance()));
        assertThat(stream.awaitClose()).isEqualTo(4000);
        assertThat(loss().cause().reason()).isEqualTo(Reason.BAD_ARGUMENT);
        peer.activated();
    }

    @Test
    void answer_ofAnotherMethod_closesWith4000() {
        Peer.Stream stream = connect(client);
        CompletableFuture<UEchoResponse> answer = call("hello");
        stream.send(
                reply(request(stream, "hello").getRequestId()).setUCallResponse(UCallResponse.getDefaultInstance()));
        assertThat(failure(answer)).isEqualTo(Reason.DELIVERY_INDETERMINATE);
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void call_sentWhenTheConnectionBreaks_isIndeterminateAndNotRepeated() {
        Peer.Stream stream = connect(client);
        CompletableFuture<UEchoResponse> answer = call("once");
        request(stream, "once");
        stream.cut();
        assertThat(failure(answer)).isEqualTo(Reason.DELIVERY_INDETERMINATE);
        Peer.Stream again = peer.activated();
        Awaiting.until("connected", client::isConnected);
        get(roundTrip(again, "next"));
        assertThat(again.received())
                .extracting(message -> message.getUEchoRequest().getMessage())
                .doesNotContain("once");
    }

    @Test
    void call_notConnected_isNotSent() {
        assertThat(failure(call("early"))).isEqualTo(Reason.NOT_CONNECTED);
    }

    @Test
    void call_stillWaitingForTheSocketWhenItBreaks_isNotSent() {
        Peer.Stream stream = connect(client);
        stream.stopReading();
        String megabyte = "x".repeat(1 << 20);
        List<CompletableFuture<UEchoResponse>> calls = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            calls.add(call(megabyte));
        }
        Awaiting.holds(ms(300), "waiting", () -> calls.stream().noneMatch(CompletableFuture::isDone));
        stream.cut();
        List<Reason> ends = calls.stream().map(PeerTest::failure).toList();
        assertThat(ends.get(0)).isEqualTo(Reason.DELIVERY_INDETERMINATE);
        assertThat(ends.get(6)).isEqualTo(Reason.NOT_CONNECTED);
    }

    @Test
    void calls_moreThanMayWait_areRefusedUntilOneIsAnswered() {
        Peer.Stream stream = connect(client);
        List<CompletableFuture<UEchoResponse>> calls = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            calls.add(call("call " + i));
        }
        assertThat(failure(call("one too many"))).isEqualTo(Reason.BACKPRESSURE);

        stream.send(echo(request(stream, "call 5"), "done"));
        get(calls.get(5));
        get(roundTrip(stream, "fits again"));

        calls.get(7).cancel(false);
        get(roundTrip(stream, "fits after a cancelled one"));
        stream.send(echo(request(stream, "call 7"), "too late"));
        Awaiting.holds(ms(200), "connected", client::isConnected);
    }

    @Test
    void calls_moreBytesThanMayWait_areRefused() {
        connect(client).stopReading();
        String half = "x".repeat(4 << 20);
        CompletableFuture<UEchoResponse> first = call(half);
        assertThat(failure(call(half))).isEqualTo(Reason.BACKPRESSURE);
        assertThat(failure(call("x".repeat(8 << 20)))).isEqualTo(Reason.TOO_LARGE);
        assertThat(first).isNotDone();
    }

    @Test
    void receipts_ofOwnRequests_doNoHarmAndResolveNothing() {
        Peer.Stream stream = connect(client);
        CompletableFuture<UEchoResponse> answer = call("hello");
        ClientMessage request = request(stream, "hello");
        stream.send(receipt(request.getRequestId()));
        stream.send(receipt(request.getRequestId()));
        Awaiting.holds(ms(200), "unanswered", () -> !answer.isDone());
        stream.send(echo(request, "hello"));
        get(answer);
        stream.send(receipt(request.getRequestId()));
        Awaiting.holds(ms(200), "connected", client::isConnected);
        stream.send(receipt("2"));
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void message_inFragments_isPutTogether() {
        Peer.Stream stream = connect(client);
        CompletableFuture<UEchoResponse> answer = call("hello");
        String large = "é".repeat(1 << 20);
        stream.sendFragments(echo(request(stream, "hello"), large).build().toByteArray(), 70_001);
        assertThat(get(answer).getMessage()).isEqualTo(large);
    }

    @Test
    void message_tooLargeOverItsFragments_closesWith4000() {
        Peer.Stream stream = connect(client);
        stream.sendFragments(new byte[(8 << 20) + 1], 1 << 20);
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void message_thatIsNone_closesWith4000() {
        Peer.Stream stream = connect(client);
        stream.sendFragments("not a message".getBytes(StandardCharsets.UTF_8), 1_000);
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void call_classesThatDoNotBelongTogether_areRefused() {
        connect(client);
        assertThatThrownBy(() -> client.call(UEchoRequest.getDefaultInstance(), UCallResponse.class))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.call(DCallRequest.getDefaultInstance(), DCallResponse.class))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private CompletableFuture<UEchoResponse> call(String message) {
        return client.call(UEchoRequest.newBuilder().setMessage(message).build(), UEchoResponse.class, LONG);
    }

    private CompletableFuture<UEchoResponse> roundTrip(Peer.Stream stream, String message) {
        CompletableFuture<UEchoResponse> answer = call(message);
        stream.send(echo(request(stream, message), message));
        return answer;
    }

    private static ClientMessage request(Peer.Stream stream, String message) {
        return stream.await(
                message,
                one -> one.hasUEchoRequest()
                        && one.getUEchoRequest().getMessage().equals(message));
    }

    private static ServerMessage.Builder echo(ClientMessage request, String message) {
        return reply(request.getRequestId())
                .setUEchoResponse(UEchoResponse.newBuilder().setMessage(message));
    }

    private static ServerMessage.Builder receipt(String requestId) {
        return ServerMessage.newBuilder().setRequestId(requestId).setRequestAck(RequestAck.getDefaultInstance());
    }
}
