package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.huddle.harness.Awaiting;
import io.huddle.mesh.ByteTown.Answered;
import io.huddle.mesh.ByteTown.Site;
import io.huddle.stream.StreamError;
import io.huddle.stream.TestClient;
import io.huddle.web.Causes;
import io.huddle.web.Refused;
import io.huddle.wire.DCallResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Byte streams that go with calls, from client to client; nodes one and two are linked, and the client called is on two. */
@Timeout(60)
class PassagesTest {
    private static final String TARGET = "c-target";
    private static final int CHUNK = 64 * 1024;

    private final ByteTown town = new ByteTown();
    private final Site one = town.add(1);
    private final Site two = town.add(2);
    private final TestClient caller = one.connect("c-caller");
    private final TestClient target = two.connect(TARGET);

    @AfterEach
    void end() {
        town.close();
    }

    private static DCallResponse.Builder ok() {
        return DCallResponse.newBuilder().setData("\"ok\"");
    }

    private static void write(TestClient from, int id, ByteString all) {
        for (int at = 0; at < all.size(); at += CHUNK) {
            from.write(id, all.substring(at, Math.min(all.size(), at + CHUNK)));
        }
    }

    private int streamOfTheCall() {
        Awaiting.until("the call", () -> !target.calls().isEmpty());
        return target.calls().get(0).getStreamId();
    }

    private static String refusal(CompletableFuture<?> call) {
        Throwable failed =
                call.handle((done, why) -> why).orTimeout(20, TimeUnit.SECONDS).join();
        Throwable cause = Causes.of(Objects.requireNonNull(failed, "it was answered"));
        return cause instanceof Refused refused
                ? refused.refusal().slug()
                : String.valueOf(cause instanceof StreamError ? cause.getMessage() : cause);
    }

    private void assertNothingLeft() {
        Awaiting.until(
                "nothing is left of it",
                () -> one.passages.open() == 0
                        && two.passages.open() == 0
                        && town.links.isIdle(one.process, two.process));
    }

    private static void assertEnd(TestClient client, int id, String end) {
        Awaiting.asserted(() -> assertThat(client.ends(id)).containsExactly(end));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callWithBytes_bothWays_passesThemWholeWhereverTheClientsAre(boolean isLocal) {
        TestClient called = isLocal ? one.connect("c-near") : target;
        ByteString up = ByteTown.bytes(3_000_000);
        ByteString down = ByteTown.bytes(1_500_000);
        called.answer(call -> ok().setStreamId(1));

        CompletableFuture<Answered> call = one.call(caller, isLocal ? "c-near" : TARGET, 1);
        write(caller, 1, up);
        caller.finish(1);
        Answered answered = call.join();
        write(called, 1, down);
        called.finish(1);

        assertThat(answered.data()).isEqualTo("\"ok\"");
        assertThat(answered.stream()).isEqualTo(2);
        assertEnd(called, called.calls().get(0).getStreamId(), "finished");
        assertEnd(caller, answered.stream(), "finished");
        assertThat(called.received(called.calls().get(0).getStreamId())).isEqualTo(up);
        assertThat(caller.received(answered.stream())).isEqualTo(down);
        assertThat(caller.ends(1)).isEmpty();
        assertNothingLeft();
    }

    @Test
    void callWithoutBytes_toAClientThatAnswersWithout_hasNone() {
        target.answer(call -> ok());

        assertThat(one.call(caller, TARGET, null).join().stream()).isZero();
        assertThat(target.calls())
                .singleElement()
                .satisfies(call -> assertThat(call.hasStreamId()).isFalse());
    }

    @Test
    void bytes_thatEndBeforeAnybodyTookThem_areWhole() {
        target.answer(call -> ok());
        caller.write(1, ByteString.copyFromUtf8("early"));
        caller.finish(1);

        one.call(caller, TARGET, 1).join();

        int id = streamOfTheCall();
        assertEnd(target, id, "finished");
        assertThat(target.received(id).toStringUtf8()).isEqualTo("early");
        assertNothingLeft();
    }

    /** What is on its way is bounded by what each hop may hold: the sender waits, and no memory fills up. */
    @Test
    void bytes_toAReaderThatStops_holdBackTheirSender() {
        target.answer(call -> ok());
        CompletableFuture<Answered> call = one.call(caller, TARGET, 1);
        call.join();
        target.stick();
        ByteString all = ByteTown.bytes(5_000_000);
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(caller, 1, all));

        Awaiting.until("something comes", () -> !target.received(2).isEmpty());
        Awaiting.holds(Duration.ofMillis(300), "the writer waits", () -> !writing.isDone());
        assertThat(target.received(2).size()).isLessThanOrEqualTo(CHUNK);

        target.unstick();
        writing.join();
        caller.finish(1);
        assertEnd(target, 2, "finished");
        assertThat(target.received(2)).isEqualTo(all);
        assertNothingLeft();
    }

    @Test
    void senderThatBreaksOff_isToldWithItsReason() {
        target.answer(call -> ok());
        List<@Nullable String> reasons = Arrays.asList(null, "", "enough");
        for (int i = 0; i < reasons.size(); i++) {
            int id = 2 * i + 1;
            one.call(caller, TARGET, id).join();
            caller.write(id, ByteString.copyFromUtf8("x"));
            Awaiting.until("a byte", () -> !target.received(id + 1).isEmpty());
            caller.destroy(id, reasons.get(i));

            assertEnd(target, id + 1, "destroyed " + reasons.get(i));
            assertThat(caller.ends(id)).isEmpty();
        }
        assertNothingLeft();
    }

    /** Without a further byte: a sender that says nothing for long is told all the same. */
    @Test
    void readerThatBreaksOff_isToldWithItsReason() {
        target.answer(call -> ok());
        List<@Nullable String> reasons = Arrays.asList(null, "", "enough");
        for (int i = 0; i < reasons.size(); i++) {
            int id = 2 * i + 1;
            one.call(caller, TARGET, id).join();
            caller.write(id, ByteString.copyFromUtf8("x"));
            Awaiting.until("a byte", () -> !target.received(id + 1).isEmpty());
            target.destroy(id + 1, reasons.get(i));

            assertEnd(caller, id, "destroyed " + reasons.get(i));
            assertThat(target.ends(id + 1)).isEmpty();
        }
        assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectionThatEnds_endsItsByteStreamsAtTheOtherEnd(boolean isCallers) {
        target.answer(call -> ok().setStreamId(1));
        Answered answered = one.call(caller, TARGET, 1).join();
        caller.write(1, ByteString.copyFromUtf8("x"));
        target.write(1, ByteString.copyFromUtf8("y"));
        Awaiting.until(
                "both flow",
                () -> !target.received(2).isEmpty()
                        && !caller.received(answered.stream()).isEmpty());

        (isCallers ? caller : target).cut();

        TestClient other = isCallers ? target : caller;
        assertEnd(other, 1, "destroyed client-disconnected");
        assertEnd(other, 2, "destroyed client-disconnected");
        assertNothingLeft();
    }

    @Test
    void linkThatIsLost_endsThemAtBothEnds() {
        target.answer(call -> ok().setStreamId(1));
        Answered answered = one.call(caller, TARGET, 1).join();
        caller.write(1, ByteString.copyFromUtf8("x"));
        target.write(1, ByteString.copyFromUtf8("y"));
        Awaiting.until(
                "both flow",
                () -> !target.received(2).isEmpty()
                        && !caller.received(answered.stream()).isEmpty());

        town.links.cut();

        for (TestClient client : List.of(caller, target)) {
            assertEnd(client, 1, "destroyed delivery-indeterminate");
            assertEnd(client, 2, "destroyed delivery-indeterminate");
        }
        assertNothingLeft();
    }

    @Test
    void nodeThatLosesItsLease_handsNoMoreBytesOver() {
        target.answer(call -> ok());
        one.call(caller, TARGET, 1).join();
        caller.write(1, ByteString.copyFromUtf8("x"));
        Awaiting.until("a byte", () -> !target.received(2).isEmpty());

        two.hasLease = false;
        caller.write(1, ByteString.copyFromUtf8("y"));

        assertEnd(caller, 1, "destroyed owner-unavailable");
        assertEnd(target, 2, "destroyed owner-unavailable");
        assertThat(target.received(2).toStringUtf8()).isEqualTo("x");
        assertNothingLeft();
    }

    @Test
    void callThatTheClientRefuses_breaksItsBytesOff() {
        target.fail("mine");

        assertThat(refusal(one.call(caller, TARGET, 1))).isEqualTo("client-error");

        assertEnd(caller, 1, "destroyed client-error");
        assertEnd(target, 2, "destroyed client-error");
        assertNothingLeft();
    }

    @Test
    void callThatIsNotAnswered_breaksItsBytesOff() {
        CompletableFuture<Answered> call = one.call(caller, TARGET, 1, Duration.ofMillis(400));
        caller.write(1, ByteString.copyFromUtf8("x"));

        assertThat(refusal(call)).isEqualTo("delivery-indeterminate");

        assertEnd(caller, 1, "destroyed delivery-indeterminate");
        assertEnd(target, 2, "destroyed delivery-indeterminate");
        assertNothingLeft();
    }

    @Test
    void answerThatNamesNoByteStream_isTheClientsError() {
        for (int none : List.of(0, 2, -1)) {
            target.answer(call -> ok().setStreamId(none));
            assertThat(refusal(one.call(caller, TARGET, null)))
                    .as("stream %s", none)
                    .isEqualTo("client-error");
        }
        assertNothingLeft();
    }

    @Test
    void callThatNamesNoByteStream_isNotMade() {
        for (int none : List.of(0, 2, -1)) {
            assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> one.call(caller, TARGET, none)))
                    .isInstanceOfSatisfying(StreamError.class, error -> {
                        assertThat(error.isUserError()).isTrue();
                        assertThat(error).hasMessageStartingWith("invalid-request: streamId");
                    });
        }
        assertThat(target.calls()).isEmpty();
    }

    @Test
    void answersBytes_thatNobodyTakes_areBrokenOff() {
        target.answer(call -> ok().setStreamId(1));

        String data = one.clients
                .invoke(new Reach(true, java.util.Set.of()), TARGET, "t", "1", ByteTown.DEADLINE)
                .toCompletableFuture()
                .join();

        assertThat(data).isEqualTo("\"ok\"");
        assertEnd(target, 1, "destroyed nobody takes the bytes");
        assertNothingLeft();
    }

    @Test
    void callToAClientThatIsGone_breaksItsBytesOff() {
        assertThat(refusal(one.call(caller, "c-nobody", 1))).isEqualTo("client-not-found");
        assertEnd(caller, 1, "destroyed client-not-found");
        assertNothingLeft();
    }

    /** Whoever is no owner any more takes no byte: the next one gets them all. */
    @Test
    void bytes_ofACallThatIsCorrected_goToTheOwnerWhole() {
        target.answer(call -> ok());
        Site three = town.add(3);
        one.call(caller, TARGET, null).join();
        TestClient moved = new TestClient(TARGET, ByteTown.TEAM);
        moved.answer(call -> ok());
        two.here.remove(TARGET);
        three.here.put(TARGET, moved);
        town.record(TARGET, three.record(TARGET, moved.stream.connectionId()));
        ByteString all = ByteTown.bytes(500_000);

        CompletableFuture<Answered> call = one.call(caller, TARGET, 1);
        write(caller, 1, all);
        caller.finish(1);
        call.join();

        assertEnd(moved, 2, "finished");
        assertThat(moved.received(2)).isEqualTo(all);
        assertThat(target.calls()).hasSize(1);
        assertNothingLeft();
    }

    /** An eighth of 128 places for one caller. */
    @Test
    void byteStreams_ofOneCaller_takeNoMoreThanItsShare() {
        target.answer(call -> ok());
        List<Integer> open = new ArrayList<>();
        for (int id = 1; id < 32; id += 2) {
            one.call(caller, TARGET, id).join();
            open.add(id);
        }

        assertThat(refusal(one.call(caller, TARGET, 33))).isEqualTo("backpressure");
        assertEnd(caller, 33, "destroyed backpressure");
        TestClient other = one.connect("c-other");
        assertThat(one.call(other, TARGET, null).join().data()).isEqualTo("\"ok\"");

        open.forEach(caller::finish);
        assertNothingLeft();
        assertThat(one.call(caller, TARGET, 35).join().data()).isEqualTo("\"ok\"");
    }

    @Test
    void handle_isGoodForTheNodeItWasMadeForOnceAndForNoOther() {
        Site three = town.add(3);
        Announced offered = Announced.of(receiver -> target.stream.receiveBytes(1, receiver), Passages.PATIENCE);
        String handle = two.passages.offer(offered, "", one.number, one.process);
        TestClient thief = three.connect("c-thief");
        three.local.pour(three.passages.source(handle, "", two.number, two.process), thief.stream);
        assertEnd(thief, 2, "destroyed owner-unavailable");

        one.local.pour(one.passages.source(handle, "", two.number, two.process), caller.stream);
        target.write(1, ByteString.copyFromUtf8("x"));
        Awaiting.until("a byte", () -> !caller.received(2).isEmpty());
        one.local.pour(one.passages.source(handle, "", two.number, two.process), caller.stream);
        assertEnd(caller, 4, "destroyed owner-unavailable");
        target.finish(1);

        assertEnd(caller, 2, "finished");
        assertNothingLeft();
    }

    @Test
    void handle_ofWhatIsOver_givesNothingAndHoldsNoPlace() {
        Announced offered = Announced.of(receiver -> target.stream.receiveBytes(1, receiver), Passages.PATIENCE);
        String handle = two.passages.offer(offered, "", one.number, one.process);
        offered.breakOff("enough");
        assertThat(two.passages.open()).isZero();

        one.local.pour(one.passages.source(handle, "", two.number, two.process), caller.stream);

        assertEnd(caller, 2, "destroyed owner-unavailable");
        assertEnd(target, 1, "destroyed enough");
        assertNothingLeft();
    }

    @Test
    void announced_notTakenInTime_isBrokenOffAndGivesItsPlaceBack() {
        Announced late = Announced.of(receiver -> target.stream.receiveBytes(1, receiver), Duration.ofMillis(50));
        two.passages.offer(late, "", one.number, one.process);
        assertThat(two.passages.open()).isEqualTo(1);

        assertEnd(target, 1, "destroyed deadline-exceeded");
        assertNothingLeft();
    }
}
