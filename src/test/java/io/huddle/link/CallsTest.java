package io.huddle.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.huddle.harness.Awaiting;
import io.huddle.link.wire.Header;
import io.huddle.link.wire.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What callers are told, over two real ends and a connection that fails in every way. */
class CallsTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(200);
    /** By how much a deadline is missed is for the benchmark to say; that it is kept shows itself in this time. */
    private static final Duration LATE = Duration.ofSeconds(5);

    private static final ByteString BODY = ByteString.copyFrom(new byte[] {0, 1, -1, 127, -128});

    private final Town town = new Town();
    private final Queue<CompletableFuture<ByteString>> held = new ConcurrentLinkedQueue<>();
    private final AtomicInteger runs = new AtomicInteger();
    private final Queue<LinkHandler.Call> arrived = new ConcurrentLinkedQueue<>();
    private Town.House one = town.add(1, "p-one");
    private Town.House two = town.add(2, "p-two");

    @BeforeEach
    void serve() {
        serve(one);
        serve(two);
    }

    private void serve(Town.House house) {
        house.operations.serve("echo", call -> {
            arrived.add(call);
            return CompletableFuture.completedStage(call.request());
        });
        house.operations.serve("hold", call -> {
            runs.incrementAndGet();
            arrived.add(call);
            CompletableFuture<ByteString> answer = new CompletableFuture<>();
            held.add(answer);
            return answer;
        });
        house.operations.serve(
                "typed",
                call -> CompletableFuture.failedStage(
                        new LinkFailed(LinkFailed.Reason.REMOTE, "room-closed", true, "")));
        house.operations.serve("defect", call -> {
            throw new IllegalStateException("secret of the owner");
        });
        house.operations.serve(
                "large", call -> CompletableFuture.completedStage(ByteString.copyFrom(new byte[(1 << 20) + 1])));
    }

    @AfterEach
    void end() {
        town.close();
    }

    private CompletionStage<ByteString> call(String operation, Duration deadline) {
        return one.board.call(two.peer(), operation, BODY, deadline);
    }

    private static ByteString result(CompletionStage<ByteString> call) {
        try {
            return call.toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException failed) {
            throw new AssertionError("no result", failed);
        }
    }

    private static LinkFailed failure(CompletionStage<ByteString> call) {
        try {
            ByteString result = call.toCompletableFuture().get(10, TimeUnit.SECONDS);
            throw new AssertionError("a result of " + result.size() + " bytes");
        } catch (ExecutionException failed) {
            return Objects.requireNonNull((LinkFailed) failed.getCause());
        } catch (InterruptedException | TimeoutException failed) {
            throw new AssertionError("no end", failed);
        }
    }

    private void awaitRuns(int count) {
        Awaiting.until(count + " calls under way", () -> runs.get() == count);
    }

    @Test
    void call_overALinkOpenedForIt_carriesBinaryBytesUnchanged() {
        assertThat(town.pipes()).isEmpty();
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
        assertThat(town.pipes()).hasSize(1);
        LinkHandler.Call seen = arrived.remove();
        assertThat(seen.number()).isEqualTo(1);
        assertThat(seen.process()).isEqualTo("p-one");
        assertThat(seen.residual()).isPositive().isLessThan(LONG);
    }

    @Test
    void call_ofAPeer_usesTheLinkThatThePeerOpened() {
        result(call("echo", LONG));
        assertThat(result(two.board.call(one.peer(), "echo", BODY, LONG))).isEqualTo(BODY);
        assertThat(town.pipes()).hasSize(1);
    }

    @Test
    void handlersError_typed_reachesTheCallerWithFlagAndEmptyText() {
        LinkFailed failed = failure(call("typed", LONG));
        assertThat(failed.reason()).isEqualTo(LinkFailed.Reason.REMOTE);
        assertThat(failed.code()).isEqualTo("room-closed");
        assertThat(failed.isUserError()).isTrue();
        assertThat(failed.getMessage()).isEmpty();
    }

    @Test
    void handlersDefect_tellsTheCallerNothingOfItself() {
        LinkFailed failed = failure(call("defect", LONG));
        assertThat(failed.reason()).isEqualTo(LinkFailed.Reason.REMOTE);
        assertThat(failed.code()).isEqualTo(LinkFailed.FAILED);
        assertThat(failed.isUserError()).isFalse();
        assertThat(failed.getMessage()).doesNotContain("secret");
    }

    @Test
    void operation_unknown_isSaidToBe() {
        assertThat(failure(call("later", LONG)).code()).isEqualTo(LinkFailed.UNKNOWN_OPERATION);
    }

    @Test
    void result_largerThanAFrame_isAnErrorAndTheLinkStays() {
        assertThat(failure(call("large", LONG)).code()).isEqualTo(LinkFailed.RESULT_TOO_LARGE);
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
        assertThat(town.pipes()).hasSize(1);
    }

    @Test
    void request_largerThanAFrame_isNotSent() {
        ByteString large = ByteString.copyFrom(new byte[(1 << 20) + 1]);
        assertThat(failure(one.board.call(two.peer(), "echo", large, LONG)).reason())
                .isEqualTo(LinkFailed.Reason.NOT_SENT);
        assertThat(town.pipes()).isEmpty();
    }

    @Test
    void deadline_ofASilentHandler_isKeptAndTheCallHasArrived() {
        result(call("echo", LONG));
        long from = System.nanoTime();
        LinkFailed failed = failure(call("hold", Duration.ofSeconds(1)));
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isBetween(Duration.ofSeconds(1), LATE);
        assertThat(failed.reason()).isEqualTo(LinkFailed.Reason.INDETERMINATE);
        // Pings go every 100 ms, so that one has told of it.
        assertThat(failed.getMessage()).contains("the call had arrived");
    }

    @Test
    void deadline_ofACallThatMayNotHaveArrived_isKeptAndSaysSo() {
        result(call("echo", LONG));
        town.pipe().left().swallow();
        long from = System.nanoTime();
        LinkFailed failed = failure(call("hold", SHORT));
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isBetween(SHORT, LATE);
        assertThat(failed.reason()).isEqualTo(LinkFailed.Reason.INDETERMINATE);
        assertThat(failed.getMessage()).contains("not known whether the call arrived");
        assertThat(runs.get()).isZero();
    }

    @Test
    void deadline_whileTheConnectionTakesNothing_withdrawsTheCall() {
        result(call("echo", LONG));
        town.pipe().left().stall();
        CompletionStage<ByteString> underWay = call("hold", SHORT);
        // It, or a ping before it, is being written and will be for ever.
        Awaiting.until("a write under way", () -> town.pipe().left().holds());
        CompletionStage<ByteString> queued = call("hold", SHORT);
        assertThat(failure(underWay).reason())
                .isIn(LinkFailed.Reason.INDETERMINATE, LinkFailed.Reason.NOT_SENT_IN_TIME);
        assertThat(failure(queued).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT_IN_TIME);
        town.pipe().left().mend();
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
        assertThat(runs.get()).as("the one that was withdrawn never ran").isLessThanOrEqualTo(1);
    }

    @Test
    void deadline_whileConnectingHangs_isKeptForEachCallerAndTheAttemptGoesOn() {
        town.hanging(true);
        long from = System.nanoTime();
        CompletionStage<ByteString> patient = call("echo", LONG);
        assertThat(failure(call("echo", SHORT)).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT_IN_TIME);
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isBetween(SHORT, LATE);
        town.open(one, two);
        assertThat(result(patient)).isEqualTo(BODY);
    }

    @Test
    void connecting_thatHangs_failsItsCallersAsNotSent_andTheNextCallTriesAnew() {
        town.hanging(true);
        assertThat(failure(call("echo", LONG)).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT);
        town.hanging(false);
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
    }

    @Test
    void peer_thatCannotBeReached_isNotSent() {
        town.unreachable(true);
        assertThat(failure(call("echo", LONG)).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT);
        town.unreachable(false);
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
    }

    @Test
    void residual_onArrival_hasLostTheTimeInTheQueue() {
        result(call("echo", LONG));
        arrived.clear();
        town.pipe().left().stall();
        CompletionStage<ByteString> first = call("echo", LONG);
        Awaiting.until("a write under way", () -> town.pipe().left().holds());
        CompletionStage<ByteString> second = call("echo", LONG);
        Awaiting.holds(Duration.ofMillis(150), "nothing arrives", () -> arrived.isEmpty());
        town.pipe().left().mend();
        result(first);
        result(second);
        List<LinkHandler.Call> seen = new ArrayList<>(arrived);
        assertThat(seen.get(1).residual())
                .isLessThan(seen.get(0).residual().minusMillis(140))
                .isLessThan(LONG.minusMillis(140));
    }

    @Test
    void link_thatIsReset_makesWrittenCallsIndeterminate() {
        CompletionStage<ByteString> call = call("hold", LONG);
        awaitRuns(1);
        town.pipe().cut();
        assertThat(failure(call).reason()).isEqualTo(LinkFailed.Reason.INDETERMINATE);
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
    }

    @Test
    void link_whosePeerFallsSilent_endsAfterTheMissedPings() {
        CompletionStage<ByteString> written = call("hold", LONG);
        awaitRuns(1);
        town.pipe().left().stall();
        CompletionStage<ByteString> underWay = call("hold", LONG);
        Awaiting.until("a write under way", () -> town.pipe().left().holds());
        CompletionStage<ByteString> queued = call("hold", LONG);
        long from = System.nanoTime();
        assertThat(failure(written).reason()).isEqualTo(LinkFailed.Reason.INDETERMINATE);
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(LATE);
        assertThat(failure(underWay).reason()).isIn(LinkFailed.Reason.INDETERMINATE, LinkFailed.Reason.NOT_SENT);
        assertThat(failure(queued).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT);
        // Either end may be the first to notice.
        assertThat(one.counted(Measured.ENDED_SILENT) + two.counted(Measured.ENDED_SILENT))
                .isPositive();
    }

    @Test
    void freshness_endsBeforeTheLinkDoes_whenThePeerIsSilent() {
        assertThat(one.board.isFresh(2, "p-two")).isFalse();
        result(call("echo", LONG));
        assertThat(one.board.isFresh(2, "p-two")).isTrue();
        Awaiting.holds(Duration.ofMillis(600), "fresh while pongs come", () -> one.board.isFresh(2, "p-two"));
        town.pipe().right().swallow();
        Awaiting.until("stale", () -> !one.board.isFresh(2, "p-two"));
        assertThat(one.board.isFresh(2, "p-other")).isFalse();
    }

    @Test
    void links_openedFromBothSidesAtOnce_endAsOneWithoutFailingACall() {
        Link losing = town.open(two, one);
        CompletionStage<ByteString> before = two.board.call(one.peer(), "hold", BODY, LONG);
        awaitRuns(1);
        Link winning = town.open(one, two);
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
        assertThat(losing.isOpen()).isFalse();
        assertThat(losing.isDead()).as("a call is under way on it").isFalse();
        held.remove().complete(BODY);
        assertThat(result(before)).isEqualTo(BODY);
        Awaiting.until("the second link is closed", losing::isDead);
        assertThat(town.pipes().get(0).closeCode()).isEqualTo(1000);
        assertThat(winning.isOpen()).isTrue();
        Awaiting.until("one link each", () -> one.board.size() == 1 && two.board.size() == 1);
        assertThat(result(two.board.call(one.peer(), "echo", BODY, LONG))).isEqualTo(BODY);
        assertThat(town.pipes()).hasSize(2);
    }

    @Test
    void links_openedFromBothSides_inTheOtherOrder_endAsTheSameOne() {
        Link winning = town.open(one, two);
        Link losing = town.open(two, one);
        assertThat(winning.isOpen()).isTrue();
        Awaiting.until("the second link is closed", losing::isDead);
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
        assertThat(winning.isOpen()).isTrue();
    }

    @Test
    void calls_inAStorm_whileLinksComeTwiceAndBothSidesCall_allSucceed() {
        List<CompletionStage<ByteString>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            if (i % 20 == 5) {
                town.open(two, one);
            }
            if (i % 20 == 15) {
                town.open(one, two);
            }
            all.add(call("echo", LONG));
            all.add(two.board.call(one.peer(), "echo", BODY, LONG));
        }
        all.forEach(call -> assertThat(result(call)).isEqualTo(BODY));
        // None, if the two sides saw the last two of the same dialer in different orders; the next call then opens one.
        Awaiting.until("one link is left at most", () -> one.board.size() <= 1 && one.board.size() == two.board.size());
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
    }

    @Test
    void link_withoutWork_isClosedAndTheNextCallOpensOne() {
        town.close();
        Limits idle = Town.limits(bounds -> bounds.idle = Duration.ofMillis(300));
        try (Town short_ = new Town()) {
            one = short_.add(1, "p-one", idle);
            two = short_.add(2, "p-two", idle);
            serve();
            result(call("echo", LONG));
            CompletionStage<ByteString> slow = call("hold", LONG);
            awaitRuns(1);
            Awaiting.holds(Duration.ofMillis(600), "a link with work stays", () -> one.board.size() == 1);
            held.remove().complete(BODY);
            result(slow);
            Awaiting.until("closed at both ends", () -> one.board.size() == 0 && two.board.size() == 0);
            assertThat(short_.pipe().closeCode()).isEqualTo(1000);
            assertThat(one.released).hasSize(1);
            assertThat(two.released).as("inbound ones as well").hasSize(1);
            assertThat(result(call("echo", LONG))).isEqualTo(BODY);
        }
    }

    @Test
    void node_withoutALease_callsNobody() {
        one.self = Optional.empty();
        assertThat(failure(call("echo", LONG)).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT);
    }

    @Test
    void node_underANewNumber_opensANewLinkAndEndsTheOldOne() {
        Link old = town.open(one, two);
        result(call("echo", LONG));
        arrived.clear();
        one.self = Optional.of(new Self(7, "p-one"));
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
        assertThat(arrived.remove().number()).isEqualTo(7);
        Awaiting.until("the old link is closed", old::isDead);
    }

    @Test
    void node_thatHasStopped_opensNothing() {
        one.board.stop();
        assertThat(failure(call("echo", LONG)).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT);
        assertThat(town.pipes()).isEmpty();
    }

    /** The stop waits for no link that is being opened; one that comes after all is closed. */
    @Test
    void stop_whileALinkIsBeingOpened_returnsAndClosesWhatComes() {
        town.hanging(true);
        CompletionStage<ByteString> waiting = call("echo", LONG);
        one.board.stop();
        town.open(one, two);

        Awaiting.until("the late link is closed", () -> town.pipe().closeCode() == 1000);
        assertThat(failure(waiting).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT);
        assertThat(failure(call("echo", LONG)).reason()).isEqualTo(LinkFailed.Reason.NOT_SENT);
    }

    @Test
    void calls_pastTheBoundOfWhatIsUnderWay_areRefusedAtOnceAndAgainTakenLater() {
        List<CompletionStage<ByteString>> all = new ArrayList<>();
        result(call("echo", LONG));
        // The peer's budget for all is 64, this node's for one peer 512.
        for (int i = 0; i < 64; i++) {
            all.add(call("hold", LONG));
        }
        awaitRuns(64);
        assertThat(failure(call("hold", LONG)).reason()).isEqualTo(LinkFailed.Reason.BACKPRESSURE);
        assertThat(two.counted(Measured.SERVED_OVERLOADED)).isEqualTo(1);
        held.forEach(each -> each.complete(BODY));
        all.forEach(call -> assertThat(result(call)).isEqualTo(BODY));
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
    }

    @Test
    void budget_ofInboundCalls_isSharedByAllPeersAndHeldUntilTheHandlerOfALostLinkEnds() {
        Town.House three = town.add(3, "p-three");
        List<CompletionStage<ByteString>> all = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            all.add(call("hold", LONG));
        }
        awaitRuns(64);
        town.pipe().cut();
        all.forEach(call -> assertThat(failure(call).reason()).isEqualTo(LinkFailed.Reason.INDETERMINATE));
        assertThat(failure(three.board.call(two.peer(), "echo", BODY, LONG)).reason())
                .isEqualTo(LinkFailed.Reason.BACKPRESSURE);
        held.forEach(each -> each.complete(BODY));
        assertThat(result(three.board.call(two.peer(), "echo", BODY, LONG))).isEqualTo(BODY);
    }

    @Test
    void calls_pastTheCallersBound_areRefusedAtOnce() {
        town.hanging(true);
        List<CompletionStage<ByteString>> all = new ArrayList<>();
        for (int i = 0; i < 512; i++) {
            all.add(call("echo", LONG));
        }
        assertThat(failure(call("echo", LONG)).reason()).isEqualTo(LinkFailed.Reason.BACKPRESSURE);
        town.open(one, two);
        all.forEach(call -> assertThat(result(call)).isEqualTo(BODY));
    }

    @Test
    void bytes_pastTheBuffer_areRefusedAtOnce_theOutgoingFrameCounted() {
        result(call("echo", LONG));
        town.pipe().left().stall();
        CompletionStage<ByteString> underWay = call("echo", LONG);
        Awaiting.until("a write under way", () -> town.pipe().left().holds());
        ByteString large = ByteString.copyFrom(new byte[1 << 20]);
        CompletionStage<ByteString> fits = one.board.call(two.peer(), "echo", large, LONG);
        assertThat(failure(one.board.call(two.peer(), "echo", large, LONG)).reason())
                .isEqualTo(LinkFailed.Reason.BACKPRESSURE);
        town.pipe().left().mend();
        result(underWay);
        assertThat(result(fits)).isEqualTo(large);
    }

    @Test
    void peers_pastTheirBound_areRefused_andTakenWhenOneHasGone() {
        for (int i = 3; i < 7; i++) {
            Town.House other = town.add(i, "p-" + i);
            serve(other);
            result(one.board.call(other.peer(), "echo", BODY, LONG));
        }
        assertThat(failure(call("echo", LONG)).reason()).isEqualTo(LinkFailed.Reason.BACKPRESSURE);
        assertThat(one.board.hasRoom(2, "p-two")).isFalse();
        assertThat(one.board.hasRoom(3, "p-3")).isTrue();
        town.pipe().cut();
        Awaiting.until("room again", () -> one.board.hasRoom(2, "p-two"));
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
    }

    /** Pings rare enough that a stalled end is not taken for a dead one. */
    private void patient(Consumer<Town.Bounds> change) {
        Limits limits = Town.limits(bounds -> {
            bounds.ping = Duration.ofSeconds(30);
            change.accept(bounds);
        });
        one = town.add(1, "p-one", limits);
        two = town.add(2, "p-two", limits);
        serve();
    }

    @Test
    void answers_pastTheBuffer_areToldToBeMissing_andTheLinkAndAllOtherCallsStay() {
        patient(bounds -> {});
        result(call("echo", LONG));
        CompletionStage<ByteString> slow = call("hold", LONG);
        awaitRuns(1);
        town.pipe().right().stall();
        ByteString large = ByteString.copyFrom(new byte[900_000]);
        List<CompletionStage<ByteString>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.add(one.board.call(two.peer(), "echo", large, LONG));
            int before = i + 1;
            Awaiting.until("arrived", () -> arrived.size() > before + 1);
        }
        CompletionStage<ByteString> typed = call("typed", LONG);
        CompletionStage<ByteString> small = call("echo", LONG);
        Awaiting.until("all served", () -> two.counted(Measured.SERVED) == 9);
        town.pipe().right().mend();
        int missing = 0;
        for (CompletionStage<ByteString> call : all) {
            Throwable failed = call.toCompletableFuture()
                    .handle((bytes, thrown) -> thrown)
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
            if (failed == null) {
                assertThat(result(call)).isEqualTo(large);
            } else {
                assertThat(failure(call).reason()).isEqualTo(LinkFailed.Reason.REMOTE);
                assertThat(failure(call).code()).isEqualTo(LinkFailed.RESULT_NOT_SENT);
                missing++;
            }
        }
        // One is under way, two fit into the buffer of 2 MiB.
        assertThat(missing).isEqualTo(3);
        assertThat(two.counted(Measured.FULL_BUFFER)).isEqualTo(3);
        assertThat(failure(typed).code()).isEqualTo("room-closed");
        assertThat(result(small)).isEqualTo(BODY);
        held.remove().complete(BODY);
        assertThat(result(slow)).isEqualTo(BODY);
        assertThat(town.pipes()).hasSize(1);
        assertThat(town.pipe().closeCode()).isZero();
    }

    @Test
    void answers_smallOrOfAFailure_pastTheBuffer_areSentAsTheyAre_theTextOfALongOneAside() {
        Queue<Consumer<@Nullable Throwable>> under = new ConcurrentLinkedQueue<>();
        Queue<Frame> answers = new ConcurrentLinkedQueue<>();
        patient(bounds -> bounds.bufferBytes = 2_000);
        two.operations.serve(
                "wordy",
                call -> CompletableFuture.failedStage(
                        new LinkFailed(LinkFailed.Reason.REMOTE, "room-closed", true, "x".repeat(4_000))));
        Link at = raw(town.add(9, "p-raw"), answers, under::add);
        send(at, callOf(1, "echo", BODY));
        ByteString filling = ByteString.copyFrom(new byte[1_900]);
        send(at, callOf(2, "echo", filling));
        send(at, callOf(3, "echo", filling));
        send(at, callOf(4, "wordy", BODY));
        send(at, callOf(5, "echo", ByteString.copyFrom(new byte[200])));
        assertThat(at.isDead()).isFalse();
        under.remove().accept(null);
        List<Frame> byId = answers.stream()
                .sorted(Comparator.comparingLong(one -> one.header().getId()))
                .toList();
        assertThat(byId).extracting(one -> one.header().getId()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(byId.get(1).body()).isEqualTo(filling);
        assertThat(byId.get(2).header().getCode()).isEqualTo(LinkFailed.RESULT_NOT_SENT);
        assertThat(byId.get(3).header().getCode()).isEqualTo("room-closed");
        assertThat(byId.get(3).header().getUserError()).isTrue();
        assertThat(byId.get(3).body()).isEqualTo(ByteString.EMPTY);
        assertThat(byId.get(4).body().size()).isEqualTo(200);
    }

    @Test
    void answers_ofWhichEvenTheSmallOnesFindNoRoom_endTheLink() {
        patient(bounds -> bounds.bufferBytes = 2_000);
        Link at = raw(town.add(9, "p-raw"), new ConcurrentLinkedQueue<>(), done -> {});
        int sent = 0;
        while (!at.isDead() && sent < 100_000) {
            sent++;
            send(at, callOf(sent, "echo", BODY));
        }
        assertThat(at.isDead()).isTrue();
        assertThat(sent).isGreaterThan(16_384);
        assertThat(two.counted(Measured.ENDED_BROKEN)).isEqualTo(1);
    }

    private static Frame callOf(long id, String operation, ByteString request) {
        return new Frame(
                Header.newBuilder()
                        .setKind(Kind.CALL)
                        .setId(id)
                        .setOperation(operation)
                        .setResidualMicros(20_000_000)
                        .build(),
                request);
    }

    // Order.

    /** A link of the first house to a peer that is this test; what it is given to write is read here. */
    private Link outward(Writer.Wire wire) {
        return new Link(new Link.Ends(1, 2, "p-two", "p-one", 1), one.board.shared(), wire, (code, why) -> {});
    }

    private static Writer.Wire reading(Queue<Frame> calls, Runnable first) {
        FrameReader reader = new FrameReader(1 << 20);
        AtomicBoolean begun = new AtomicBoolean();
        return (message, done) -> {
            if (begun.compareAndSet(false, true)) {
                first.run();
            }
            try {
                reader.read(message, frame -> {
                    if (frame.header().getKind() == Kind.CALL) {
                        calls.add(frame);
                    }
                });
            } catch (MalformedFrame malformed) {
                throw new AssertionError(malformed);
            }
            done.accept(null);
        };
    }

    private static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }

    private static List<String> texts(Queue<Frame> calls) {
        return calls.stream().map(call -> call.body().toStringUtf8()).toList();
    }

    @Test
    void calls_thatWaitedForTheLink_areWrittenBeforeOneThatComesWhileTheyAreHandedOver() {
        town.hanging(true);
        for (String each : List.of("1", "2", "3")) {
            one.board.call(two.peer(), "echo", text(each), LONG);
        }
        Queue<Frame> calls = new ConcurrentLinkedQueue<>();
        one.board.admit(outward(reading(calls, () -> one.board.call(two.peer(), "echo", text("4"), LONG))));
        assertThat(texts(calls)).containsExactly("1", "2", "3", "4");
    }

    @Test
    void calls_thatWaitOnALinkThatIsReplaced_areWrittenBeforeLaterOnes() {
        Queue<Consumer<@Nullable Throwable>> under = new ConcurrentLinkedQueue<>();
        Link before = outward((message, done) -> under.add(done));
        one.board.admit(before);
        for (String each : List.of("under way", "1", "2", "3")) {
            one.board.call(two.peer(), "echo", text(each), LONG);
        }
        assertThat(under).hasSize(1);
        Queue<Frame> calls = new ConcurrentLinkedQueue<>();
        one.board.admit(outward(reading(calls, () -> one.board.call(two.peer(), "echo", text("4"), LONG))));
        assertThat(before.isOpen()).isFalse();
        assertThat(texts(calls)).containsExactly("1", "2", "3", "4");
    }

    @Test
    void calls_ofSeveralThreads_whileTheLinkComes_arriveInTheOrderOfEach() {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Town.House three = town.add(3, "p-three", Town.limits(bounds -> bounds.inboundCalls = 10_000));
        three.operations.serve("note", call -> {
            seen.add(call.request().toStringUtf8());
            return CompletableFuture.completedStage(ByteString.EMPTY);
        });
        town.hanging(true);
        List<CompletableFuture<Void>> senders = new ArrayList<>();
        Queue<CompletionStage<ByteString>> all = new ConcurrentLinkedQueue<>();
        for (String sender : List.of("a", "b")) {
            senders.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 200; i++) {
                    all.add(one.board.call(three.peer(), "note", text(sender + (1_000 + i)), LONG));
                }
            }));
        }
        town.open(one, three);
        senders.forEach(CompletableFuture::join);
        all.forEach(call -> assertThat(result(call)).isEqualTo(ByteString.EMPTY));
        for (String sender : List.of("a", "b")) {
            assertThat(seen.stream().filter(each -> each.startsWith(sender)).toList())
                    .hasSize(200)
                    .isSorted();
        }
    }

    // What a call is told while it moves.

    @Test
    void call_thatMovesOnWhileItIsTakenIn_isForgottenWhereItIsWhenItsTimeIsOver() {
        AtomicReference<Runnable> atTheClock = new AtomicReference<>(() -> {});
        AtomicReference<@Nullable Link> second = new AtomicReference<>();
        Shared shared = new Shared(
                Town.limits(),
                new Operations(),
                new Budget(1, 1),
                () -> {
                    atTheClock.getAndSet(() -> {}).run();
                    return 0;
                },
                (what, count) -> {},
                (link, calls) -> calls.forEach(
                        call -> assertThat(Objects.requireNonNull(second.get()).offer(call))
                                .isTrue()),
                link -> {});
        Link.Ends ends = new Link.Ends(1, 2, "p-two", "p-one", 1);
        Link first = new Link(ends, shared, (message, done) -> {}, (code, why) -> {});
        Link next = new Link(ends, shared, (message, done) -> done.accept(null), (code, why) -> {});
        second.set(next);
        assertThat(first.offer(new Outgoing(two.peer(), "echo", BODY, 1_000_000)))
                .isTrue();
        Outgoing call = new Outgoing(two.peer(), "echo", BODY, 1_000_000);
        // It waits in the first one, which is retired before its taking in is over.
        atTheClock.set(first::retire);
        assertThat(first.offer(call)).isTrue();
        assertThat(next.hasWork()).as("it was written there").isTrue();
        call.expire();
        assertThat(failure(call.answer()).reason()).isEqualTo(LinkFailed.Reason.INDETERMINATE);
        assertThat(next.hasWork()).isFalse();
    }

    @Test
    void calls_thatAreRefusedWhileNoLinkIsThere_areToldWithoutThePairsLock() {
        Limits limits = Town.limits(bounds -> bounds.bufferBytes = 1_000);
        Pair pair = new Pair(
                limits,
                (nanos, ring) -> {
                    ring.run();
                    return () -> {};
                },
                (what, count) -> {},
                () -> one.self,
                peer -> new CompletableFuture<>());
        List<LinkFailed.Reason> told = new ArrayList<>();
        List<Boolean> locked = new ArrayList<>();
        for (int size : new int[] {2_000, 10, 10, 10, 10, 10}) {
            Outgoing call = new Outgoing(two.peer(), "echo", ByteString.copyFrom(new byte[size]), Long.MAX_VALUE);
            CompletableFuture<ByteString> unused = call.answer().whenComplete((result, failed) -> {
                locked.add(Thread.holdsLock(pair));
                told.add(failed instanceof LinkFailed known ? known.reason() : LinkFailed.Reason.REMOTE);
            });
            pair.submit(call);
        }
        assertThat(locked).hasSize(6).containsOnly(false);
        assertThat(told).first().isEqualTo(LinkFailed.Reason.BACKPRESSURE);
        // Each attempt takes too long at once, and three of them hang; the others are not even begun.
        assertThat(told.subList(1, 6)).containsOnly(LinkFailed.Reason.NOT_SENT);
    }

    // Bounds.

    @Test
    void bytes_thatWaitForALink_areBounded() {
        town.hanging(true);
        ByteString large = ByteString.copyFrom(new byte[1 << 20]);
        CompletionStage<ByteString> fits = one.board.call(two.peer(), "echo", large, LONG);
        assertThat(failure(one.board.call(two.peer(), "echo", large, LONG)).reason())
                .isEqualTo(LinkFailed.Reason.BACKPRESSURE);
        assertThat(one.counted(Measured.FULL_BUFFER)).isEqualTo(1);
        town.open(one, two);
        assertThat(result(fits)).isEqualTo(large);
    }

    @Test
    void bytes_ofInboundCalls_areBounded_overAllPeers_untilTheirHandlersEnd() {
        two = town.add(2, "p-two", Town.limits(bounds -> bounds.inboundBytes = 100_000));
        serve(two);
        Town.House three = town.add(3, "p-three");
        ByteString half = ByteString.copyFrom(new byte[60_000]);
        CompletionStage<ByteString> under = one.board.call(two.peer(), "hold", half, LONG);
        awaitRuns(1);
        assertThat(failure(three.board.call(two.peer(), "hold", half, LONG)).reason())
                .isEqualTo(LinkFailed.Reason.BACKPRESSURE);
        assertThat(two.counted(Measured.SERVED_OVERLOADED)).isEqualTo(1);
        held.remove().complete(BODY);
        assertThat(result(under)).isEqualTo(BODY);
        assertThat(result(three.board.call(two.peer(), "echo", half, LONG))).isEqualTo(half);
    }

    @Test
    void frame_ofTheSameNumber_afterItsAnswerWasKeptLongEnough_isToldThatItIsForgotten() {
        patient(bounds -> bounds.remembered = Duration.ofMillis(50));
        Queue<Frame> answers = new ConcurrentLinkedQueue<>();
        Link at = raw(town.add(9, "p-raw"), answers);
        send(at, callOf(1, "echo", BODY));
        Awaiting.until("forgotten", () -> {
            send(at, callOf(1, "echo", BODY));
            return answers.stream().anyMatch(one -> one.header().getKind() == Kind.REFUSED);
        });
        assertThat(arrived).hasSize(1);
    }

    @Test
    void chunk_beyondTheWindow_breaksTheLink() {
        patient(bounds -> {});
        two.operations.serveBytes("take", call -> new LinkReceiver() {
            @Override
            public CompletionStage<Void> accept(ByteString chunk) {
                return new CompletableFuture<>();
            }

            @Override
            public void finished() {}

            @Override
            public void destroyed(@Nullable String reason) {}
        });
        Queue<Frame> answers = new ConcurrentLinkedQueue<>();
        Link at = raw(town.add(9, "p-raw"), answers);
        Frame open = callOf(1, "take", ByteString.EMPTY);
        send(at, new Frame(open.header().toBuilder().setKind(Kind.OPEN).build(), open.body()));
        assertThat(answers.remove().header().getCredit()).isEqualTo(1 << 17);
        Frame window = new Frame(
                Header.newBuilder().setKind(Kind.CHUNK).setId(1).build(), ByteString.copyFrom(new byte[1 << 17]));
        send(at, window);
        assertThat(at.isDead()).isFalse();
        send(at, new Frame(window.header(), ByteString.copyFrom(new byte[1])));
        assertThat(at.isDead()).isTrue();
    }

    @Test
    void frame_ofTheSameNumber_runsOnceAndIsAnsweredTheSame() {
        Town.House raw = town.add(9, "p-raw");
        Queue<Frame> answers = new ConcurrentLinkedQueue<>();
        Link at = raw(raw, answers);
        Frame call = new Frame(
                Header.newBuilder()
                        .setKind(Kind.CALL)
                        .setId(1)
                        .setOperation("hold")
                        .setResidualMicros(10_000_000)
                        .build(),
                BODY);
        send(at, call);
        send(at, call);
        assertThat(runs.get()).isEqualTo(1);
        held.remove().complete(ByteString.copyFromUtf8("done"));
        Awaiting.until("answered", () -> answers.size() == 1);
        send(at, call);
        Awaiting.until("answered again", () -> answers.size() == 2);
        assertThat(answers).allMatch(each -> each.body().toStringUtf8().equals("done"));
        assertThat(runs.get()).isEqualTo(1);
    }

    @Test
    void frame_ofTheSameNumber_whoseResultWasTooLargeToKeep_isToldSoAndNotRun() {
        Town.House raw = town.add(9, "p-raw");
        Queue<Frame> answers = new ConcurrentLinkedQueue<>();
        Link at = raw(raw, answers);
        Frame call = new Frame(
                Header.newBuilder()
                        .setKind(Kind.CALL)
                        .setId(1)
                        .setOperation("hold")
                        .setResidualMicros(10_000_000)
                        .build(),
                BODY);
        send(at, call);
        held.remove().complete(ByteString.copyFrom(new byte[100_000]));
        send(at, call);
        Awaiting.until("answered twice", () -> answers.size() == 2);
        answers.remove();
        assertThat(answers.remove().header().getKind()).isEqualTo(Kind.REFUSED);
        assertThat(runs.get()).isEqualTo(1);
    }

    @Test
    void answer_toACallThatNeverWas_breaksTheLink_andToOneThatGaveUpDoesNot() {
        Town.House raw = town.add(9, "p-raw");
        Link at = raw(raw, new ConcurrentLinkedQueue<>());
        send(at, Frame.of(Header.newBuilder().setKind(Kind.RESULT).setId(1)));
        assertThat(at.isDead()).isTrue();
        assertThat(two.counted(Measured.ENDED_BROKEN)).isEqualTo(1);

        assertThat(failure(call("hold", Duration.ofSeconds(1))).reason()).isEqualTo(LinkFailed.Reason.INDETERMINATE);
        held.remove().complete(BODY);
        assertThat(result(call("echo", LONG))).isEqualTo(BODY);
        assertThat(town.pipes()).hasSize(1);
    }

    @Test
    void frame_ofAnUnknownKind_breaksTheLink() {
        Town.House raw = town.add(9, "p-raw");
        Link at = raw(raw, new ConcurrentLinkedQueue<>());
        send(at, Frame.of(Header.newBuilder().setKindValue(99).setId(1)));
        assertThat(at.isDead()).isTrue();
    }

    /** A link of the second house whose other end is this test. */
    private Link raw(Town.House from, Queue<Frame> answers) {
        return raw(from, answers, done -> done.accept(null));
    }

    private Link raw(Town.House from, Queue<Frame> answers, Consumer<Consumer<@Nullable Throwable>> written) {
        Self self = two.self.orElseThrow();
        FrameReader reader = new FrameReader(1 << 20);
        Link link = new Link(
                new Link.Ends(self.number(), from.peer().number(), from.process, from.process, 1),
                two.board.shared(),
                (message, done) -> {
                    try {
                        reader.read(message, frame -> {
                            if (frame.header().getKind() != Kind.PING) {
                                answers.add(frame);
                            }
                        });
                    } catch (MalformedFrame malformed) {
                        throw new AssertionError(malformed);
                    }
                    written.accept(done);
                },
                (code, why) -> {});
        two.board.admit(link);
        return link;
    }

    private static void send(Link link, Frame frame) {
        link.receive(ByteBuffer.wrap(Frame.encode(List.of(frame))));
    }
}
