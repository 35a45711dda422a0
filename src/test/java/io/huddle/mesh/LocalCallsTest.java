package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Injected;
import io.huddle.membership.Membership;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.registry.Warrant;
import io.huddle.security.Identity;
import io.huddle.stream.ClientStream;
import io.huddle.stream.CloseCause;
import io.huddle.stream.TestStreams;
import io.huddle.web.Causes;
import io.huddle.web.Ids;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.ServerMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LocalCallsTest {
    private static final String BEFORE = "{\"floor\":3}";

    private final ClientStream stream =
            new TestStreams((ended, cause) -> {}).open(new Identity.Client("c-1", Set.of(), Set.of()), "c-1", false);
    private final List<String> written = new ArrayList<>();
    private boolean hasLease = true;
    private CompletionStage<Boolean> taken = CompletableFuture.completedFuture(true);
    private final LocalCalls calls = calls();

    private final class Leased extends Membership {
        @Override
        public Optional<Warrant> warrant(Duration validity) {
            return hasLease
                    ? Optional.of(new Warrant(1, "process-a", "epoch", Ids.make('o'), 1_000))
                    : Optional.empty();
        }
    }

    private final class Written extends Ownership {
        @Override
        CompletionStage<Boolean> write(Warrant warrant, ClientStream owned, String metadata) {
            written.add(metadata);
            return taken;
        }
    }

    private LocalCalls calls() {
        LocalCalls made = Injected.into(new LocalCalls(), "membership", new Leased());
        return Injected.into(made, "ownership", new Written());
    }

    private static @Nullable Refusal refusal(CompletionStage<?> asked) {
        Throwable failed =
                asked.handle((done, why) -> why).toCompletableFuture().join();
        return failed != null && Causes.of(failed) instanceof Refused refused ? refused.refusal() : null;
    }

    @Test
    void metadata_thatTheRegistryTakes_isTheStreams() {
        stream.metadata(BEFORE);

        assertThat(calls.patch(stream, "{\"floor\":4}").toCompletableFuture()).isCompletedWithValue("{\"floor\":4}");

        assertThat(written).containsExactly("{\"floor\":4}");
        assertThat(stream.metadata()).isEqualTo("{\"floor\":4}");
    }

    @Test
    void metadata_thatTheRegistryRefuses_staysAsItIs() {
        stream.metadata(BEFORE);
        taken = CompletableFuture.completedFuture(false);
        assertThat(refusal(calls.patch(stream, "{\"floor\":4}"))).isEqualTo(Refusal.OWNER_UNAVAILABLE);
        taken = CompletableFuture.failedFuture(new RegistryUnavailable("as ordered", new Throwable()));
        assertThat(calls.patch(stream, "{\"floor\":5}").toCompletableFuture()).isCompletedExceptionally();
        hasLease = false;
        assertThat(refusal(calls.patch(stream, "{\"floor\":6}"))).isEqualTo(Refusal.OWNER_UNAVAILABLE);

        assertThat(written).containsExactly("{\"floor\":4}", "{\"floor\":5}");
        assertThat(stream.metadata()).isEqualTo(BEFORE);
    }

    /** The record may be another's by then. */
    @Test
    void metadata_thatIsTakenWhenTheStreamHasEnded_isRefused() {
        stream.metadata(BEFORE);
        CompletableFuture<Boolean> late = new CompletableFuture<>();
        taken = late;
        CompletionStage<String> patched = calls.patch(stream, "{\"floor\":4}");
        stream.close(CloseCause.SUPERSEDED, "");
        late.complete(true);

        assertThat(refusal(patched)).isEqualTo(Refusal.OWNER_UNAVAILABLE);
        assertThat(stream.metadata()).isEqualTo(BEFORE);
    }

    /** It never left: that is no error of the client's. */
    @Test
    void call_largerThanAMessage_isTooLarge() {
        ServerMessage large = ServerMessage.newBuilder()
                .setDCallRequest(DCallRequest.newBuilder().setType("t").setData("x".repeat(1 << 20)))
                .build();

        assertThat(refusal(calls.call(stream, large, Duration.ofSeconds(5)))).isEqualTo(Refusal.PAYLOAD_TOO_LARGE);
        assertThat(stream.isDead()).isFalse();
    }
}
