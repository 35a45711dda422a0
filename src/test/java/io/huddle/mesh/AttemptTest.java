package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.huddle.link.LinkFailed;
import io.huddle.link.LinkFailed.Reason;
import io.huddle.link.Peer;
import io.huddle.membership.NodeInfo;
import io.huddle.membership.NodeState;
import io.huddle.mesh.Routes.Route;
import io.huddle.mesh.wire.Target;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.security.Identity;
import io.huddle.stream.ClientStream;
import io.huddle.stream.StreamError;
import io.huddle.stream.TestStreams;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptTest {
    private static final String CLIENT = "client-1";
    private static final NodeInfo OWNER =
            new NodeInfo(7, "process-b", "b", 1, "ws://b/mesh", "key-b", NodeState.of("ready"), 9);

    private final Queue<CompletionStage<Optional<ClientRecord>>> found = new ArrayDeque<>();
    private final Queue<CompletableFuture<ByteString>> answers = new ArrayDeque<>();
    private final List<String> sent = new ArrayList<>();
    private final List<String> counted = new ArrayList<>();
    private final Routes routes = new Routes(10);
    private final Queue<Boolean> delivers = new ArrayDeque<>();
    private int lookups;
    private boolean isFresh = true;
    private boolean isUnrecordedHere;
    private @Nullable ClientStream stream;

    private Attempt.Around around() {
        return new Attempt.Around(
                client -> Optional.ofNullable(stream),
                client -> stream != null || isUnrecordedHere,
                client -> {
                    lookups++;
                    return found.remove();
                },
                () -> delivers.isEmpty() || delivers.remove(),
                () -> "process-a",
                number -> CompletableFuture.completedFuture(Optional.of(OWNER).filter(node -> node.number() == number)),
                (number, process) -> isFresh,
                this::ask,
                routes,
                (route, result, nanos) -> counted.add(route + " " + result));
    }

    private CompletionStage<ByteString> ask(Peer node, String operation, ByteString request, Duration deadline) {
        sent.add(node.number() + " " + request.toStringUtf8());
        return answers.remove();
    }

    private CompletableFuture<String> attempt() {
        return attempt(CLIENT);
    }

    private CompletableFuture<String> attempt(String client) {
        return made(client).run().toCompletableFuture();
    }

    private Attempt<String> made(String client) {
        return new Attempt<>(around(), client, Duration.ofSeconds(5)) {
            @Override
            CompletionStage<String> here(ClientStream mine) {
                return CompletableFuture.completedFuture("here");
            }

            @Override
            String operation() {
                return "call";
            }

            @Override
            ByteString request(Target target) {
                return ByteString.copyFromUtf8(target.getConnection());
            }

            @Override
            String answer(ByteString answer) {
                return answer.toStringUtf8();
            }
        };
    }

    private void record(String connection) {
        found.add(CompletableFuture.completedFuture(Optional.of(record(7, "process-b", connection))));
    }

    private static ClientRecord record(long node, String process, String connection) {
        return new ClientRecord(
                CLIENT, node, process, connection, State.ACTIVE, 1, null, 0, List.of(), 1, "mark", 1, "{}");
    }

    private void answer(String text) {
        answers.add(CompletableFuture.completedFuture(ByteString.copyFromUtf8(text)));
    }

    private void fail(Reason reason, @Nullable String code, boolean isUserError) {
        answers.add(CompletableFuture.failedFuture(new LinkFailed(reason, code, isUserError, "as ordered")));
    }

    private static @Nullable Refusal refusal(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        Throwable thrown = failed.handle((done, why) -> why).join();
        Throwable cause = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
        return cause instanceof Refused refused ? refused.refusal() : null;
    }

    @Test
    void clientOfThisNode_isReachedWithoutAsking() {
        stream = new TestStreams((ended, cause) -> {})
                .open(new Identity.Client(CLIENT, Set.of(), Set.of()), CLIENT, false);

        assertThat(attempt()).isCompletedWithValue("here");
        assertThat(lookups).isZero();
        assertThat(counted).containsExactly("LOCAL OK");
    }

    @Test
    void firstCall_asksTheRegistryOnce_andTheNextNobody() {
        record("x-1");
        answer("one");
        answer("two");

        assertThat(attempt()).isCompletedWithValue("one");
        assertThat(attempt()).isCompletedWithValue("two");

        assertThat(lookups).isEqualTo(1);
        assertThat(sent).containsExactly("7 x-1", "7 x-1");
        assertThat(counted).containsExactly("REMOTE OK", "REMOTE OK");
    }

    @Test
    void knownRoute_overALinkWithoutARecentSign_isNotTrusted() {
        routes.put(CLIENT, new Route(7, "process-b", "x-old"));
        isFresh = false;
        record("x-1");
        answer("one");

        assertThat(attempt()).isCompletedWithValue("one");
        assertThat(sent).containsExactly("7 x-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {PeerCalls.NOT_MINE, PeerCalls.FENCED})
    void knownRoute_thatIsWrong_isCorrectedOnceACall(String code) {
        routes.put(CLIENT, new Route(7, "process-b", "x-old"));
        fail(Reason.REMOTE, code, false);
        record("x-1");
        answer("one");

        assertThat(attempt()).isCompletedWithValue("one");
        assertThat(sent).containsExactly("7 x-old", "7 x-1");
        assertThat(lookups).isEqualTo(1);
        assertThat(routes.find(CLIENT)).isEqualTo(new Route(7, "process-b", "x-1"));
    }

    @ParameterizedTest
    @CsvSource({"not-mine, CLIENT_DISCONNECTED", "fenced, OWNER_UNAVAILABLE"})
    void correction_thatIsWrongToo_endsTheCall(String code, Refusal expected) {
        routes.put(CLIENT, new Route(7, "process-b", "x-old"));
        fail(Reason.REMOTE, code, false);
        record("x-1");
        fail(Reason.REMOTE, code, false);

        assertThat(refusal(attempt())).isEqualTo(expected);
        assertThat(lookups).as("one correction a call").isEqualTo(1);
        assertThat(routes.find(CLIENT)).isNull();
    }

    @Test
    void knownRoute_toANodeThatIsGone_isLookedUp() {
        routes.put(CLIENT, new Route(6, "process-b", "x-old"));
        record("x-1");
        answer("one");

        assertThat(attempt()).isCompletedWithValue("one");
        assertThat(sent).containsExactly("7 x-1");
    }

    @Test
    void record_ofANodeThatIsGone_isUnavailable() {
        found.add(CompletableFuture.completedFuture(Optional.of(record(6, "process-b", "x-1"))));
        found.add(CompletableFuture.completedFuture(Optional.of(record(6, "process-b", "x-1"))));

        assertThat(refusal(attempt())).isEqualTo(Refusal.OWNER_UNAVAILABLE);
        assertThat(sent).isEmpty();
    }

    @Test
    void client_thatIsNotRecorded_isNotFound() {
        found.add(CompletableFuture.completedFuture(Optional.empty()));

        assertThat(refusal(attempt())).isEqualTo(Refusal.CLIENT_NOT_FOUND);
        assertThat(counted).containsExactly("NONE NOT_FOUND");
    }

    /** No registry takes such an id, so it is not asked. */
    @Test
    void client_withAnIdThatNobodyCanHave_isNotFound() {
        for (String impossible : List.of("", "x".repeat(1_025), "\u00e4".repeat(513))) {
            assertThat(refusal(attempt(impossible))).isEqualTo(Refusal.CLIENT_NOT_FOUND);
        }
        assertThat(lookups).isZero();

        found.add(CompletableFuture.completedFuture(Optional.empty()));
        assertThat(refusal(attempt("x".repeat(1_024)))).isEqualTo(Refusal.CLIENT_NOT_FOUND);
        assertThat(lookups).isEqualTo(1);
    }

    @Test
    void record_ofThisProcess_whoseStreamHasEnded_isDisconnected() {
        found.add(CompletableFuture.completedFuture(Optional.of(record(3, "process-a", "x-1"))));

        assertThat(refusal(attempt())).isEqualTo(Refusal.CLIENT_DISCONNECTED);
    }

    /** This node has come back under a new number and does not know yet whether the stream is still the owner. */
    @Test
    void record_ofThisProcess_whoseStreamIsRecordedAnew_isUnavailable() {
        found.add(CompletableFuture.completedFuture(Optional.of(record(3, "process-a", "x-1"))));
        isUnrecordedHere = true;

        assertThat(refusal(attempt())).isEqualTo(Refusal.OWNER_UNAVAILABLE);
    }

    @Test
    void registryAway_isUnavailable() {
        found.add(CompletableFuture.failedFuture(new RegistryUnavailable("as ordered", new Throwable())));

        assertThat(refusal(attempt())).isEqualTo(Refusal.OWNER_UNAVAILABLE);
    }

    @Test
    void registryThatNeverAnswers_endsTheCallInTime() {
        found.add(new CompletableFuture<>());
        Attempt<String> hasty = new Attempt<>(around(), CLIENT, Duration.ofMillis(30)) {
            @Override
            CompletionStage<String> here(ClientStream mine) {
                return CompletableFuture.completedFuture("here");
            }

            @Override
            String operation() {
                return "call";
            }

            @Override
            ByteString request(Target target) {
                return ByteString.EMPTY;
            }

            @Override
            String answer(ByteString answer) {
                return "";
            }
        };

        CompletableFuture<String> call = hasty.run().toCompletableFuture();
        assertThat(call).failsWithin(Duration.ofSeconds(10));
        assertThat(refusal(call)).isEqualTo(Refusal.DEADLINE_EXCEEDED);
    }

    @Test
    void node_withoutALease_sendsNothing() {
        delivers.add(false);

        assertThat(refusal(attempt())).isEqualTo(Refusal.OWNER_UNAVAILABLE);
        assertThat(lookups).isZero();
    }

    @Test
    void lease_thatEndsBeforeTheAnswerIsPassedOn_makesItIndeterminate() {
        record("x-1");
        answer("one");
        delivers.add(true);
        delivers.add(false);

        assertThat(refusal(attempt())).isEqualTo(Refusal.DELIVERY_INDETERMINATE);
    }

    @ParameterizedTest
    @CsvSource({
        "NOT_SENT, , OWNER_UNAVAILABLE",
        "NOT_SENT_IN_TIME, , DEADLINE_EXCEEDED",
        "BACKPRESSURE, , BACKPRESSURE",
        "INDETERMINATE, , DELIVERY_INDETERMINATE",
        "REMOTE, client-disconnected, CLIENT_DISCONNECTED",
        "REMOTE, delivery-indeterminate, DELIVERY_INDETERMINATE",
        "REMOTE, result-too-large, DELIVERY_INDETERMINATE",
        "REMOTE, result-not-sent, DELIVERY_INDETERMINATE",
        "REMOTE, something-new, DELIVERY_INDETERMINATE"
    })
    void linkFailure_isToldAsWhatIsKnown(Reason reason, @Nullable String code, Refusal expected) {
        record("x-1");
        fail(reason, code, false);

        assertThat(refusal(attempt())).isEqualTo(expected);
        assertThat(sent).as("never sent twice").hasSize(1);
    }

    // What is sent next must not overtake it.

    @Test
    void call_isHandedOnlyWhenTheLateLookupHasLedToTheLink() {
        CompletableFuture<Optional<ClientRecord>> late = new CompletableFuture<>();
        found.add(late);
        CompletableFuture<ByteString> answer = new CompletableFuture<>();
        answers.add(answer);
        Attempt<String> attempt = made(CLIENT);
        CompletableFuture<String> call = attempt.run().toCompletableFuture();
        assertThat(attempt.handed().toCompletableFuture()).isNotDone();

        late.complete(Optional.of(record(7, "process-b", "x-1")));

        assertThat(sent).containsExactly("7 x-1");
        assertThat(attempt.handed().toCompletableFuture())
                .as("before the answer")
                .isCompleted();
        assertThat(call).isNotDone();
        answer.complete(ByteString.copyFromUtf8("one"));
        assertThat(call).isCompletedWithValue("one");
    }

    /** Calls that wait for a link are sent once it is there, perhaps after one that found it there. */
    @Test
    void call_withoutAnOpenLink_isHandedWithItsAnswer() {
        isFresh = false;
        record("x-1");
        CompletableFuture<ByteString> answer = new CompletableFuture<>();
        answers.add(answer);
        Attempt<String> attempt = made(CLIENT);
        CompletableFuture<String> call = attempt.run().toCompletableFuture();
        assertThat(attempt.handed().toCompletableFuture()).isNotDone();

        answer.complete(ByteString.copyFromUtf8("one"));

        assertThat(call).isCompletedWithValue("one");
        assertThat(attempt.handed().toCompletableFuture()).isCompleted();
    }

    @Test
    void call_thatIsRefused_isHanded() {
        found.add(CompletableFuture.completedFuture(Optional.empty()));
        Attempt<String> attempt = made(CLIENT);

        assertThat(refusal(attempt.run().toCompletableFuture())).isEqualTo(Refusal.CLIENT_NOT_FOUND);
        assertThat(attempt.handed().toCompletableFuture()).isCompleted();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clientError_keepsItsFlag(boolean isUserError) {
        record("x-1");
        fail(Reason.REMOTE, "client-error", isUserError);

        Throwable thrown = attempt().handle((done, why) -> why).join();
        Throwable cause = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
        assertThat(cause)
                .isInstanceOfSatisfying(
                        StreamError.class,
                        error -> assertThat(error.isUserError()).isEqualTo(isUserError));
        assertThat(counted).containsExactly("REMOTE CLIENT_ERROR");
    }
}
