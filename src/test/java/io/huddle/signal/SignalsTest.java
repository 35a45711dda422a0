package io.huddle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Injected;
import io.huddle.mesh.Clients;
import io.huddle.presence.Members;
import io.huddle.security.Identity;
import io.huddle.stream.ClientStream;
import io.huddle.stream.Streams;
import io.huddle.stream.TestStreams;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.USignalRequest;
import io.huddle.wire.USignalResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SignalsTest {
    private final List<String> delivered = new ArrayList<>();
    private final List<CompletableFuture<Void>> handed = new ArrayList<>();
    private final List<CompletableFuture<ClientMessage>> answers = new ArrayList<>();
    private final ClientStream ada =
            new TestStreams((ended, cause) -> {}).open(new Identity.Participant("s-ada", 1), "s-ada", true);
    private final Signals signals = signals();

    private static final class Room extends Members {
        @Override
        public long generation(Identity.Participant caller, String command, String room, String other) {
            return 3;
        }
    }

    private static final class Nobody extends Streams {
        @Override
        public Optional<ClientStream> find(String clientId) {
            return Optional.empty();
        }
    }

    private static final class Uncounted extends SignalMetrics {
        @Override
        void signal(SignalKind kind, Outcome outcome) {}
    }

    /** All sessions are on other nodes, and the test says when a request is handed over and when it is answered. */
    private final class Elsewhere extends Clients {
        @Override
        public Delivery deliver(String session, long generation, ServerMessage.Builder request, Duration deadline) {
            delivered.add(session + " " + request.getDSignalRequest().getKind());
            handed.add(new CompletableFuture<>());
            answers.add(new CompletableFuture<>());
            return new Delivery(handed.get(handed.size() - 1), answers.get(answers.size() - 1));
        }
    }

    private Signals signals() {
        Signals made = Injected.into(new Signals(), "members", new Room());
        Injected.into(made, "streams", new Nobody());
        Injected.into(made, "clients", new Elsewhere());
        return Injected.into(made, "metrics", new Uncounted());
    }

    private CompletableFuture<USignalResponse> signal(String kind) {
        return signal("s-bob", kind);
    }

    private CompletableFuture<USignalResponse> signal(String target, String kind) {
        return signals.relay(
                        ada,
                        USignalRequest.newBuilder()
                                .setRoom("r-1")
                                .setToSession(target)
                                .setKind(kind)
                                .build())
                .toCompletableFuture();
    }

    /** Where the first is looked up for long, the next must not find the way at once. */
    @Test
    void candidate_toAnotherNode_doesNotOvertakeItsOffer() {
        CompletableFuture<USignalResponse> offer = signal("offer");
        CompletableFuture<USignalResponse> candidate = signal("candidate");
        assertThat(delivered).containsExactly("s-bob offer");

        handed.get(0).complete(null);

        assertThat(delivered).containsExactly("s-bob offer", "s-bob candidate");
        assertThat(offer).as("the answer is waited for by nobody else").isNotDone();
        answers.get(1).complete(ClientMessage.getDefaultInstance());
        assertThat(candidate).isCompletedWithValueMatching(USignalResponse::getDelivered);
        answers.get(0).completeExceptionally(new IllegalStateException("of the test"));
        assertThat(offer).isCompletedWithValueMatching(answer -> !answer.getDelivered());
    }

    @Test
    void signal_toWhoIsFoundAtOnce_doesNotWaitForOneToSomebodyElse() {
        var unused = signal("offer");
        var unusedToo = signal("candidate");
        CompletableFuture<USignalResponse> other = signal("s-cleo", "offer");
        assertThat(delivered).containsExactly("s-bob offer", "s-cleo offer");

        answers.get(1).complete(ClientMessage.getDefaultInstance());

        assertThat(other).isCompletedWithValueMatching(USignalResponse::getDelivered);
    }
}
