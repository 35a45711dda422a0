package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.huddle.harness.RawStream;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.UCallRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients that answer late, wrongly, or not at all. */
class HostileAnswersIT extends HostileContract {
    private static final int LONG_MS = 3_600;
    private static final int SHORT_MS = 2_900;

    /** Only silence on protocol 4 of more than three seconds says that a stream is dead. */
    @Test
    void call_withoutAnswer_endsOnlyTheStreamThatGaveNoReceipt() {
        double closes = closes("timeout");
        StreamClient caller = keep(signed(key("integrator")).connect());
        Key silent = key("participant");
        Key brief = key("participant");
        Key receipted = key("participant");
        Key old = key("participant");
        RawStream dead = keep(RawStream.connected(node().port(), signedQuery(silent, 4), JSON, 0));
        RawStream hurried = keep(RawStream.connected(node().port(), signedQuery(brief, 4), JSON, 0));
        StreamClient slow = keep(never(signed(receipted).protocol(4).connect()));
        StreamClient plain = keep(never(signed(old).protocol(3).connect()));

        var one = caller.callLater(call(silent, LONG_MS));
        var two = caller.callLater(call(brief, SHORT_MS));
        var three = caller.callLater(call(receipted, LONG_MS));
        var four = caller.callLater(call(old, LONG_MS));

        assertThat(error(one)).isEqualTo("delivery-indeterminate");
        assertThat(error(two)).isEqualTo("delivery-indeterminate");
        assertThat(error(three)).isEqualTo("delivery-indeterminate");
        assertThat(error(four)).isEqualTo("delivery-indeterminate");
        assertThat(dead.awaitClose().code()).isEqualTo(4003);
        assertThat(closes("timeout")).isEqualTo(closes + 1);
        assertThat(echo(slow, "slow")).isEqualTo("slow");
        assertThat(echo(plain, "plain")).isEqualTo("plain");
        assertThat(hurried.read().text()).contains("dCallRequest");
        hurried.text("{\"requestId\":\"1\",\"reply\":true,\"dCallResponse\":{\"data\":\"1\"}}");
        hurried.text("{\"requestId\":\"1\",\"requestAck\":{}}");
        hurried.text("{\"requestId\":\"a\",\"uEchoRequest\":{\"message\":\"late is no crime\"}}");
        assertThat(hurried.read().text()).contains("late is no crime");
        hurried.text("{\"requestId\":\"1\",\"reply\":true,\"dCallResponse\":{\"data\":\"1\"}}");
        assertThat(hurried.awaitClose().code()).as("a second late reply").isEqualTo(4000);
    }

    @Test
    void reply_ofAnotherTypeOrWithMoreThanAReceipt_closesAndFailsTheCall() {
        for (String answer : new String[] {
            "{\"requestId\":\"1\",\"reply\":true,\"dSignalResponse\":{}}",
            "{\"requestId\":\"1\",\"reply\":true,\"uEchoRequest\":{}}",
            "{\"requestId\":\"1\",\"reply\":true}",
            "{\"requestId\":\"1\",\"requestAck\":{},\"reply\":true}",
            "{\"requestId\":\"1\",\"requestAck\":{},\"error\":\"x\"}",
            "{\"requestId\":\"2\",\"requestAck\":{}}",
            "{\"requestId\":\"01\",\"requestAck\":{}}",
            "{\"requestId\":\"-1\",\"requestAck\":{}}"
        }) {
            StreamClient caller = keep(signed(key("integrator")).connect());
            Key key = key("participant");
            RawStream called = keep(RawStream.connected(node().port(), signedQuery(key, 4), JSON, 0));
            var pending = caller.callLater(call(key, 10_000));
            assertThat(called.read().text()).contains("dCallRequest", "\"requestId\":\"1\"");
            called.text(answer);
            assertThat(called.awaitClose().code()).as(answer).isEqualTo(4000);
            assertThat(error(pending)).as(answer).isEqualTo("delivery-indeterminate");
        }
    }

    @Test
    void receipt_inProtocol3_closes() {
        RawStream old = keep(RawStream.connected(node().port(), signedQuery(key("participant"), 3), JSON, 0));
        old.text("{\"requestId\":\"1\",\"requestAck\":{}}");
        assertThat(old.awaitClose().code()).isEqualTo(4000);
    }

    /** The answer belonged to a connection that is gone; the client's new one has never asked. */
    @Test
    void answer_afterTheCallerCameBack_isNotGivenToItsNewStream() {
        Key key = key("integrator");
        Key target = key("participant");
        StreamClient called = keep(signed(target).connect());
        CompletableFuture<DCallResponse> answer = new CompletableFuture<>();
        called.answerLater(DCallRequest.class, request -> answer);
        StreamClient first = keep(signed(key).connect());
        var pending = first.callLater(call(target, 20_000));
        called.await(DCallRequest.class, 1);

        StreamClient second = keep(signed(key).with("supersede", "1").connect());
        assertThat(first.awaitClose().code()).isEqualTo(4002);
        assertThat(pending).isCompletedExceptionally();
        CompletableFuture<Message> own = second.callLater(call(target, 20_000));
        called.await(DCallRequest.class, 2);
        assertThat(own).isNotDone();
        answer.complete(DCallResponse.newBuilder().setData("\"late\"").build());

        own.orTimeout(10, TimeUnit.SECONDS).join();
        assertThat(echo(second, "after it")).isEqualTo("after it");
        assertThat(second.received()).as("its own answer and the echo").hasSize(2);
    }

    private static StreamClient never(StreamClient stream) {
        return stream.answerLater(DCallRequest.class, request -> new CompletableFuture<DCallResponse>());
    }

    private static UCallRequest call(Key key, int timeoutMs) {
        return UCallRequest.newBuilder()
                .setToClient(key.client())
                .setType("ring")
                .setData("1")
                .setTimeoutMs(timeoutMs)
                .build();
    }

    private static String error(CompletableFuture<Message> call) {
        return call.handle((done, failed) -> failed instanceof StreamClient.Failed error ? error.error() : "" + failed)
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }
}
