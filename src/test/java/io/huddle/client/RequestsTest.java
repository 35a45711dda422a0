package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.harness.Awaiting;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.DSignalRequest;
import io.huddle.wire.DSignalResponse;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.UEchoRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RequestsTest extends PeerTest {
    private final List<String> defects = new CopyOnWriteArrayList<>();
    private final HuddleClient client = serving(Awaiting.PATIENCE);

    @Test
    void request_served_isAnswered() {
        client.serve(DCallRequest.class, request -> answer(request.getData() + "!"));
        Peer.Stream stream = connect(client);
        stream.send(call("s1", "hi"));
        ClientMessage answer = answerTo(stream, "s1");
        assertThat(answer.getDCallResponse().getData()).isEqualTo("hi!");
        assertThat(answer.hasError()).isFalse();
        assertThat(stream.received()).noneMatch(ClientMessage::hasRequestAck);
    }

    @Test
    void request_beforeActivation_isAnswered() {
        client.serve(DCallRequest.class, request -> answer("early"));
        CompletableFuture<Boolean> connected = client.connect();
        Peer.Stream stream = peer.arrival();
        stream.ping();
        stream.send(call("s1", ""));
        assertThat(answerTo(stream, "s1").getDCallResponse().getData()).isEqualTo("early");
        assertThat(connected).isNotDone();
    }

    @Test
    void handler_throwsATypedError_sendsItsTextAndFlag() {
        client.serve(DCallRequest.class, request -> {
            throw new RemoteError("no such badge", true);
        });
        client.serveLater(
                DSignalRequest.class, request -> CompletableFuture.failedFuture(new RemoteError("offline", false)));
        Peer.Stream stream = connect(client);
        stream.send(call("s1", ""));
        assertThat(answerTo(stream, "s1").getError()).isEqualTo("no such badge");
        assertThat(answerTo(stream, "s1").getUserError()).isTrue();
        stream.send(
                ServerMessage.newBuilder().setRequestId("s2").setDSignalRequest(DSignalRequest.getDefaultInstance()));
        assertThat(answerTo(stream, "s2").getError()).isEqualTo("offline");
        assertThat(answerTo(stream, "s2").getUserError()).isFalse();
        assertThat(defects).isEmpty();
    }

    @Test
    void handler_throwsAnythingElse_sendsNoDetails() {
        client.serve(DCallRequest.class, request -> {
            throw new IllegalStateException("secret detail");
        });
        Peer.Stream stream = connect(client);
        stream.send(call("s1", ""));
        assertThat(answerTo(stream, "s1").getError()).isEqualTo("internal-error");
        assertThat(answerTo(stream, "s1").getUserError()).isFalse();
        assertThat(defects).singleElement().asString().contains("dCall").contains("secret detail");
    }

    @Test
    void handler_answersForAnotherMethod_isADefect() {
        client.serve(DCallRequest.class, request -> DSignalResponse.getDefaultInstance());
        Peer.Stream stream = connect(client);
        stream.send(call("s1", ""));
        assertThat(answerTo(stream, "s1").getError()).isEqualTo("internal-error");
        assertThat(defects).hasSize(1);
    }

    @Test
    void request_withoutAHandler_isUnknown() {
        Peer.Stream stream = connect(client);
        stream.send(call("s1", ""));
        assertThat(answerTo(stream, "s1").getError()).isEqualTo("unknown-method");
        // A method of a newer server.
        stream.send(ServerMessage.newBuilder().setRequestId("s2"));
        assertThat(answerTo(stream, "s2").getError()).isEqualTo("unknown-method");
        assertThat(client.isConnected()).isTrue();
    }

    @Test
    void request_unansweredForAWhile_getsItsReceiptOnce() {
        CompletableFuture<DCallResponse> later = new CompletableFuture<>();
        HuddleClient client = serving(ms(300));
        client.serveLater(DCallRequest.class, request -> later);
        Peer.Stream stream = connect(client);
        stream.send(call("s1", ""));
        ClientMessage receipt = stream.await("a receipt", ClientMessage::hasRequestAck);
        assertThat(receipt)
                .isEqualTo(ClientMessage.newBuilder()
                        .setRequestId("s1")
                        .setRequestAck(receipt.getRequestAck())
                        .build());
        later.complete(answer("at last"));
        answerTo(stream, "s1");
        assertThat(stream.received().stream().filter(ClientMessage::hasRequestAck))
                .hasSize(1);
    }

    @Test
    void requests_ofOneMethod_areHandledInOrderOneAtATime() {
        List<String> order = new CopyOnWriteArrayList<>();
        CountDownLatch first = new CountDownLatch(1);
        client.serve(DCallRequest.class, request -> {
            if (request.getData().equals("0") && !first.await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody let it go");
            }
            order.add(request.getData());
            return answer("");
        });
        client.serve(DSignalRequest.class, request -> DSignalResponse.getDefaultInstance());
        Peer.Stream stream = connect(client);
        for (int i = 0; i < 50; i++) {
            stream.send(call("s" + i, Integer.toString(i)));
        }
        // Another method does not wait for them.
        stream.send(ServerMessage.newBuilder()
                .setRequestId("signal")
                .setDSignalRequest(DSignalRequest.getDefaultInstance()));
        answerTo(stream, "signal");
        assertThat(order).isEmpty();
        first.countDown();
        answerTo(stream, "s49");
        assertThat(order).hasSize(50).isSortedAccordingTo((a, b) -> Integer.parseInt(a) - Integer.parseInt(b));
    }

    @Test
    void requests_moreThanMayBeUnderWay_closeWith4000() {
        client.serveLater(DCallRequest.class, request -> new CompletableFuture<DCallResponse>());
        Peer.Stream stream = connect(client);
        for (int i = 0; i < 128; i++) {
            stream.send(call("s" + i, ""));
        }
        Awaiting.holds(ms(200), "connected", client::isConnected);
        stream.send(call("s128", ""));
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void request_withAnIdInUse_closesWith4000() {
        client.serveLater(DCallRequest.class, request -> new CompletableFuture<DCallResponse>());
        Peer.Stream stream = connect(client);
        stream.send(call("s1", ""));
        stream.send(call("s1", ""));
        assertThat(stream.awaitClose()).isEqualTo(4000);
    }

    @Test
    void answer_ofALostConnection_isNotSentOnTheNext() {
        CompletableFuture<DCallResponse> later = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        client.serveLater(DCallRequest.class, request -> {
            started.countDown();
            return later;
        });
        client.serve(DSignalRequest.class, request -> DSignalResponse.getDefaultInstance());
        Peer.Stream stream = connect(client);
        stream.send(call("s1", ""));
        Awaiting.until("the handler at work", () -> started.getCount() == 0);
        stream.cut();
        Peer.Stream again = peer.activated();
        Awaiting.until("connected", client::isConnected);
        later.complete(answer("late"));
        again.send(
                ServerMessage.newBuilder().setRequestId("s2").setDSignalRequest(DSignalRequest.getDefaultInstance()));
        answerTo(again, "s2");
        assertThat(again.received()).noneMatch(ClientMessage::hasDCallResponse);
    }

    @Test
    void serve_twiceOrForTheWrongSide_isRefused() {
        client.serve(DCallRequest.class, request -> answer(""));
        assertThatThrownBy(() -> client.serve(DCallRequest.class, request -> answer("")))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> client.serve(UEchoRequest.class, request -> answer("")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** A client that sends its receipt after this time. */
    private HuddleClient serving(Duration receipt) {
        return client(options()
                .timing(Timings.waits(receipt, Timing.PROTOCOL.early()))
                .onDefect((method, cause) -> defects.add(method + " " + cause)));
    }

    private static DCallResponse answer(String data) {
        return DCallResponse.newBuilder().setData(data).build();
    }

    private static ServerMessage.Builder call(String id, String data) {
        return ServerMessage.newBuilder()
                .setRequestId(id)
                .setDCallRequest(DCallRequest.newBuilder().setType("t").setData(data));
    }

    private static ClientMessage answerTo(Peer.Stream stream, String id) {
        return stream.await(
                "the answer to " + id,
                one -> one.getReply() && one.getRequestId().equals(id));
    }
}
