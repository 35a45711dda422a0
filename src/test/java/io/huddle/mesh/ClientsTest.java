package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Injected;
import io.huddle.mesh.ByteTown.Site;
import io.huddle.stream.TestClient;
import io.huddle.web.Causes;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.wire.DCallResponse;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientsTest {
    private static final Reach EVERYBODY = new Reach(true, Set.of());

    private final ByteTown town = new ByteTown();
    private final Site one = town.add(1);
    private final Site two = town.add(2);
    private final AtomicInteger counted = new AtomicInteger();

    @AfterEach
    void end() {
        town.close();
    }

    private static Refusal refusal(CompletionStage<?> asked) {
        Throwable failed =
                asked.handle((done, why) -> why).toCompletableFuture().join();
        if (failed != null && Causes.of(failed) instanceof Refused refused) {
            return refused.refusal();
        }
        throw new AssertionError("no refusal", failed);
    }

    /**
     * Garbage in one record dropped every client of its node. Here that client cannot be reached from other nodes for a
     * moment, which is said and counted, and nobody else notices.
     */
    @Test
    void recordThatCannotBeRead_isUnavailableAndNoAbsenceAndConcernsNobodyElse() {
        Injected.into(one.clients, "metrics", new MeshMetrics() {
            @Override
            void corruptRecord() {
                counted.incrementAndGet();
            }
        });
        TestClient ada = two.connect("c-ada");
        two.connect("c-bob").answer(call -> DCallResponse.newBuilder().setData("\"bob\""));
        town.record("c-ada", null);
        town.unreadable.add("c-ada");

        assertThat(refusal(one.clients.invoke(EVERYBODY, "c-ada", "t", "1", ByteTown.DEADLINE)))
                .isEqualTo(Refusal.OWNER_UNAVAILABLE);
        assertThat(refusal(one.clients.get(EVERYBODY, "c-ada"))).isEqualTo(Refusal.OWNER_UNAVAILABLE);

        assertThat(counted).hasValue(2);
        assertThat(ada.calls()).isEmpty();
        assertThat(one.clients
                        .invoke(EVERYBODY, "c-bob", "t", "1", ByteTown.DEADLINE)
                        .toCompletableFuture())
                .succeedsWithin(ByteTown.DEADLINE)
                .isEqualTo("\"bob\"");
    }
}
