package io.huddle.stream;

import static io.huddle.stream.Peer.LIMITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.DSignalResponse;
import io.huddle.wire.PingPong;
import io.huddle.wire.RequestAck;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.Trace;
import io.huddle.wire.UEchoRequest;
import io.huddle.wire.UEchoResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientStreamTest {
    private static final FieldDescriptor ECHO =
            Methods.response(ServerMessage.getDescriptor(), ClientMessage.U_ECHO_REQUEST_FIELD_NUMBER);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Queue<CompletableFuture<Dispatcher.Outcome>> inWork = new ArrayDeque<>();
    private final List<String> begun = new ArrayList<>();
    private final Dispatcher later = new Peer.Given(message -> {
        begun.add(message.getRequestId());
        CompletableFuture<Dispatcher.Outcome> outcome = new CompletableFuture<>();
        inWork.add(outcome);
        return outcome;
    });

    private Peer peer = new Peer(4, LIMITS, later);

    private static ClientMessage.Builder echo(String id) {
        return ClientMessage.newBuilder()
                .setRequestId(id)
                .setUEchoRequest(UEchoRequest.newBuilder().setMessage("m"));
    }

    private static Dispatcher.Outcome echoed() {
        return Dispatcher.Outcome.of(
                ECHO, UEchoResponse.newBuilder().setMessage("m").build());
    }

    private void answerNext() {
        CompletableFuture<Dispatcher.Outcome> next = inWork.remove();
        next.complete(echoed());
    }

    private CompletableFuture<DCallResponse> call(Duration deadline) {
        return peer.stream
                .call(DCallRequest.newBuilder().setType("t").build(), DCallResponse.class, deadline)
                .toCompletableFuture();
    }

    private String lastId() {
        return peer.sent.get(peer.sent.size() - 1).getRequestId();
    }

    private static CallFailed.Reason reason(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        Throwable thrown = failed.handle((done, why) -> why).join();
        Throwable cause = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
        if (cause instanceof CallFailed failure) {
            return failure.reason();
        }
        throw new AssertionError("failed otherwise", cause);
    }

    @Test
    void activation_inOrder_pingsTwiceThenRunsWhatWaited() {
        peer.stream.greet();
        peer.receive(echo("a"));
        peer.receive(echo("b"));
        assertThat(peer.sent).hasSize(1).allMatch(ServerMessage::hasPingPong);
        assertThat(begun).isEmpty();

        peer.stream.publish();
        assertThat(peer.sent).hasSize(1);
        peer.stream.begin();

        assertThat(peer.sent).hasSize(2).allMatch(ServerMessage::hasPingPong);
        assertThat(begun).containsExactly("a", "b");
    }

    @Test
    void requestsBeforeActivation_pastTheBound_closeAsBadArgument() {
        for (String id : List.of("a", "b", "c", "d")) {
            peer.receive(echo(id));
        }
        assertThat(peer.stream.isDead()).isFalse();
        peer.receive(echo("e"));

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
        assertThat(peer.hits).containsExactly("queued-requests");
        assertThat(peer.ends).containsExactly(false);
    }

    @Test
    void waitingRequests_moreThanMayBeInWork_runInOrderAsOthersEnd() {
        for (String id : List.of("a", "b", "c", "d")) {
            peer.receive(echo(id));
        }
        peer.open();
        assertThat(begun).containsExactly("a", "b", "c");
        peer.receive(echo("e"));
        assertThat(begun).as("behind what waited").containsExactly("a", "b", "c");

        answerNext();
        answerNext();

        assertThat(begun).containsExactly("a", "b", "c", "d", "e");
        assertThat(peer.stream.isDead()).isFalse();
    }

    @Test
    void requestsInWork_pastTheBound_closeAsBadArgument() {
        peer.open();
        for (String id : List.of("a", "b", "c", "d")) {
            peer.receive(echo(id));
        }

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
        assertThat(peer.hits).containsExactly("requests");
        answerNext();
        assertThat(peer.sent).as("a late handler cannot answer").isEmpty();
    }

    @Test
    void request_whoseIdIsInWork_closes() {
        peer.open();
        peer.receive(echo("a"));
        peer.receive(echo("a"));

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
    }

    @Test
    void request_answered_hasItsIdAndFreesItsPlace() {
        peer.open();
        for (int i = 0; i < 20; i++) {
            peer.receive(echo("same"));
            answerNext();
        }

        assertThat(peer.sent).hasSize(20).allSatisfy(reply -> {
            assertThat(reply.getRequestId()).isEqualTo("same");
            assertThat(reply.getReply()).isTrue();
            assertThat(reply.getUEchoResponse().getMessage()).isEqualTo("m");
            assertThat(reply.hasError()).isFalse();
        });
    }

    @Test
    void request_withoutId_closes() {
        peer.open().receive(echo(""));

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
    }

    @Test
    void receipts_ofProtocol4_comeOnceForWhatTakesLong() {
        peer.open().receive(echo("a"));
        long now = System.nanoTime();
        peer.stream.watch(now);
        assertThat(peer.sent).isEmpty();

        peer.stream.watch(now + TimeUnit.SECONDS.toNanos(2));
        peer.stream.watch(now + TimeUnit.SECONDS.toNanos(3));

        assertThat(peer.sent).hasSize(1).first().satisfies(receipt -> {
            assertThat(receipt.hasRequestAck()).isTrue();
            assertThat(receipt.getRequestId()).isEqualTo("a");
            assertThat(receipt.getReply()).isFalse();
        });
    }

    @Test
    void receipts_ofProtocol3_neverCome() {
        peer = new Peer(3, LIMITS, later).open();
        peer.receive(echo("a"));

        peer.stream.watch(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));

        assertThat(peer.sent).isEmpty();
    }

    @Test
    void call_answered_givesTheResponse() {
        peer.open();
        CompletableFuture<DCallResponse> answer = call(LONG);
        peer.receive(ClientMessage.newBuilder()
                .setRequestId(lastId())
                .setReply(true)
                .setDCallResponse(DCallResponse.newBuilder().setData("1")));

        assertThat(answer)
                .isCompletedWithValueMatching(response -> response.getData().equals("1"));
    }

    @Test
    void call_answeredWithAnError_givesItWithItsFlag() {
        peer.open();
        CompletableFuture<DCallResponse> answer = call(LONG);
        peer.receive(ClientMessage.newBuilder()
                .setRequestId(lastId())
                .setReply(true)
                .setError("no such badge")
                .setUserError(true));

        assertThatThrownBy(answer::join)
                .cause()
                .isInstanceOfSatisfying(
                        StreamError.class,
                        error -> assertThat(error.isUserError()).isTrue())
                .hasMessage("no such badge");
        assertThat(peer.stream.isDead()).isFalse();
    }

    /** Not an error of the client, which never saw it. */
    @Test
    void call_largerThanAMessage_isNotSent() {
        peer.open();
        DCallRequest large = DCallRequest.newBuilder()
                .setType("t")
                .setData("x".repeat(Peer.LIMITS.messageBytes()))
                .build();

        CompletableFuture<DCallResponse> answer =
                peer.stream.call(large, DCallResponse.class, LONG).toCompletableFuture();

        assertThat(reason(answer)).isEqualTo(CallFailed.Reason.TOO_LARGE);
        assertThat(peer.sent).isEmpty();
        assertThat(peer.stream.isDead()).isFalse();
    }

    @Test
    void reply_ofAnotherType_closes() {
        peer.open();
        CompletableFuture<DCallResponse> answer = call(LONG);
        peer.receive(ClientMessage.newBuilder()
                .setRequestId(lastId())
                .setReply(true)
                .setDSignalResponse(DSignalResponse.getDefaultInstance()));

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
        assertThat(reason(answer)).isEqualTo(CallFailed.Reason.DELIVERY_INDETERMINATE);
    }

    @Test
    void reply_toNothing_closes() {
        peer.open()
                .receive(ClientMessage.newBuilder()
                        .setRequestId("9")
                        .setReply(true)
                        .setDCallResponse(DCallResponse.getDefaultInstance()));

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
    }

    @Test
    void reply_toAnAbandonedCall_isExpectedOnceWithinItsTime() {
        peer.open();
        CompletableFuture<DCallResponse> answer = call(Duration.ofMillis(10));
        assertThatThrownBy(answer::join).hasCauseInstanceOf(CallFailed.class);
        ClientMessage.Builder late = ClientMessage.newBuilder()
                .setRequestId("1")
                .setReply(true)
                .setDCallResponse(DCallResponse.getDefaultInstance());

        peer.receive(late);
        assertThat(peer.stream.isDead()).isFalse();
        peer.receive(late);
        assertThat(peer.stream.isDead()).as("the same reply twice").isTrue();
    }

    @Test
    void reply_toACallAbandonedLongAgo_closes() {
        peer.open();
        assertThatThrownBy(call(Duration.ofMillis(10))::join).hasCauseInstanceOf(CallFailed.class);
        peer.stream.watch(System.nanoTime() + TimeUnit.SECONDS.toNanos(61));

        peer.receive(ClientMessage.newBuilder()
                .setRequestId("1")
                .setReply(true)
                .setDCallResponse(DCallResponse.getDefaultInstance()));

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
    }

    @Test
    void calls_pastTheBound_areRefusedAndTheStreamStays() {
        peer.open();
        CompletableFuture<DCallResponse> first = call(LONG);
        assertThat(call(LONG)).isNotDone();
        assertThat(call(LONG)).isNotDone();

        assertThat(reason(call(LONG))).isEqualTo(CallFailed.Reason.BACKPRESSURE);
        assertThat(peer.stream.isDead()).isFalse();
        assertThat(peer.hits).containsExactly("calls");

        peer.receive(ClientMessage.newBuilder()
                .setRequestId("1")
                .setReply(true)
                .setDCallResponse(DCallResponse.getDefaultInstance()));
        assertThat(first).isCompleted();
        assertThat(call(LONG)).as("there is room again").isNotDone();
    }

    @Test
    void callPastItsDeadline_neverGivenToTheSocket_isSurelyNotDelivered() {
        peer.open().stick();
        assertThat(call(LONG)).isNotDone();
        CompletableFuture<DCallResponse> waiting = call(Duration.ofMillis(10));

        assertThatThrownBy(waiting::join).hasCauseInstanceOf(CallFailed.class);
        assertThat(reason(waiting)).isEqualTo(CallFailed.Reason.DEADLINE_EXCEEDED);
        peer.unstick();
        assertThat(peer.sent).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 3_000})
    void callPastItsDeadline_ofAShortBudget_leavesTheStream(int budgetMs) {
        peer.open();
        CompletableFuture<DCallResponse> answer = call(Duration.ofMillis(budgetMs));

        assertThatThrownBy(answer::join).hasCauseInstanceOf(CallFailed.class);
        assertThat(reason(answer)).isEqualTo(CallFailed.Reason.DELIVERY_INDETERMINATE);
        assertThat(peer.stream.isDead()).isFalse();
    }

    @Test
    void callPastItsDeadline_withoutReceipt_endsTheStreamBeforeTheCallerSees() {
        peer.open();
        CompletableFuture<DCallResponse> other = call(LONG);
        CompletableFuture<Boolean> deadWhenSeen =
                call(Duration.ofMillis(3_050)).handle((done, failed) -> peer.stream.isDead());

        assertThat(deadWhenSeen.join()).isTrue();
        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4003 "));
        assertThat(reason(other)).isEqualTo(CallFailed.Reason.DELIVERY_INDETERMINATE);
    }

    @Test
    void callPastItsDeadline_withReceipt_leavesTheStream() {
        peer.open();
        CompletableFuture<DCallResponse> answer = call(Duration.ofMillis(3_050));
        peer.receive(ClientMessage.newBuilder().setRequestId(lastId()).setRequestAck(RequestAck.getDefaultInstance()));
        assertThat(answer).as("a receipt is no answer").isNotDone();

        assertThatThrownBy(answer::join).hasCauseInstanceOf(CallFailed.class);
        assertThat(peer.stream.isDead()).isFalse();
    }

    @Test
    void callPastItsDeadline_ofProtocol3_leavesTheStream() {
        peer = new Peer(3, LIMITS, later).open();

        assertThatThrownBy(call(Duration.ofMillis(3_050))::join).hasCauseInstanceOf(CallFailed.class);
        assertThat(peer.stream.isDead()).isFalse();
    }

    @Test
    void receipt_lateOrTwice_isHarmless() {
        peer.open();
        assertThat(call(LONG)).isNotDone();
        peer.receive(ClientMessage.newBuilder().setRequestId("1").setRequestAck(RequestAck.getDefaultInstance()));
        peer.receive(ClientMessage.newBuilder().setRequestId("1").setRequestAck(RequestAck.getDefaultInstance()));
        peer.receive(ClientMessage.newBuilder()
                .setRequestId("1")
                .setReply(true)
                .setDCallResponse(DCallResponse.getDefaultInstance()));
        peer.receive(ClientMessage.newBuilder().setRequestId("1").setRequestAck(RequestAck.getDefaultInstance()));

        assertThat(peer.stream.isDead()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "0", "2", "01", "reply", "error", "user-error", "trace", "", "-1", "1e0"})
    void receipt_malformedOrUnknown_closes(String fault) {
        peer.open();
        assertThat(call(LONG)).isNotDone();
        ClientMessage.Builder receipt =
                ClientMessage.newBuilder().setRequestId("1").setRequestAck(RequestAck.getDefaultInstance());
        switch (fault) {
            case "reply" -> receipt.setReply(true);
            case "error" -> receipt.setError("");
            case "user-error" -> receipt.setUserError(false);
            case "trace" -> receipt.setTrace(Trace.getDefaultInstance());
            default -> receipt.setRequestId(fault);
        }
        peer.receive(receipt);

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
    }

    @Test
    void receipt_ofProtocol3_closes() {
        peer = new Peer(3, LIMITS, later).open();
        assertThat(call(LONG)).isNotDone();
        peer.receive(ClientMessage.newBuilder().setRequestId("1").setRequestAck(RequestAck.getDefaultInstance()));

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4000 "));
    }

    @Test
    void close_once_endsCallsAndKeepsTheFirstCause() {
        peer.open().stick();
        CompletableFuture<DCallResponse> sent = call(LONG);
        CompletableFuture<DCallResponse> unsent = call(LONG);

        peer.stream.close(CloseCause.SUPERSEDED, "newer");
        peer.stream.close(CloseCause.OPERATOR, "no");
        assertThat(peer.stream.isDead()).isTrue();
        assertThat(reason(sent)).isEqualTo(CallFailed.Reason.DELIVERY_INDETERMINATE);
        assertThat(reason(unsent)).isEqualTo(CallFailed.Reason.DISCONNECTED);
        assertThat(peer.closes).as("a frame is under way").isEmpty();

        peer.unstick();
        assertThat(peer.closes).containsExactly("4002 newer");
        assertThat(peer.sent).hasSize(1);
        assertThat(peer.ends).containsExactly(true);
        assertThat(reason(call(LONG))).isEqualTo(CallFailed.Reason.DISCONNECTED);
    }

    @Test
    void frames_afterRevocation_areNotDispatched() {
        peer.open();
        peer.stream.close(CloseCause.SUPERSEDED, "newer");
        peer.receive(echo("a"));
        peer.receive(ClientMessage.newBuilder().setPingPong(PingPong.getDefaultInstance()));

        assertThat(begun).isEmpty();
        assertThat(peer.sent).isEmpty();
    }

    @Test
    void ping_each_isAnsweredUpToARate() {
        peer.open();
        for (int i = 0; i < 1_000; i++) {
            peer.receive(ClientMessage.newBuilder().setPingPong(PingPong.getDefaultInstance()));
        }

        assertThat(peer.sent).hasSizeBetween(10, 20).allMatch(ServerMessage::hasPingPong);
        assertThat(peer.stream.isDead()).isFalse();
    }

    @Test
    void silence_forTooLong_closesAsTimeout() {
        peer.open();
        long now = System.nanoTime();
        peer.stream.judge(now + TimeUnit.SECONDS.toNanos(74));
        assertThat(peer.stream.isDead()).isFalse();

        peer.stream.judge(now + TimeUnit.SECONDS.toNanos(76));
        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("4003 "));
    }

    @Test
    void peer_thatTakesNothing_isClosedAsTooSlow() {
        peer.open().stick();
        peer.stream.send(ServerMessage.newBuilder()
                .setPingPong(PingPong.getDefaultInstance())
                .build());
        peer.stream.watch(System.nanoTime() + TimeUnit.SECONDS.toNanos(31));

        assertThat(peer.closes).hasSize(1).allMatch(close -> close.startsWith("1013 "));
    }

    @Test
    void peer_thatLetsTooMuchWait_isClosedAsTooSlow() {
        peer.open().stick();
        UEchoResponse big =
                UEchoResponse.newBuilder().setMessage("x".repeat(90_000)).build();
        for (int i = 0; i < 4; i++) {
            peer.stream.send(ServerMessage.newBuilder().setUEchoResponse(big).build());
        }

        assertThat(peer.stream.isDead()).isTrue();
        assertThat(peer.stream.cause()).isEqualTo(CloseCause.NO_CAPACITY);
        assertThat(peer.hits).containsExactly("send-buffer");
    }

    @Test
    void closeAfterAnswer_ofOneRequest_answersItFirstAndNoOtherEndsIt() {
        peer.open();
        peer.receive(echo("a"));
        peer.receive(echo("b"));
        peer.stream.closeAfterAnswer(CloseCause.SESSION_ENDED, "left");
        CompletableFuture<Dispatcher.Outcome> other = inWork.remove();
        CompletableFuture.runAsync(() -> other.complete(echoed())).join();
        assertThat(peer.stream.isDead()).isFalse();

        answerNext();

        assertThat(peer.sent).extracting(ServerMessage::getRequestId).containsExactly("a", "b");
        assertThat(peer.closes).containsExactly("4004 left");
    }
}
