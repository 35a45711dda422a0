package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.registry.RegistryUnavailable;
import io.huddle.registry.Sight;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeparturesTest {
    private static final Sight ABSENT = Sight.NOTHING;
    private static final int MANY = 10 * Departures.AT_ONCE;

    private final List<CompletableFuture<Sight>> questions = new ArrayList<>();
    private final List<String> left = new ArrayList<>();
    private boolean mayDeliver = true;
    private final Departures departures = new Departures(
            client -> {
                CompletableFuture<Sight> question = new CompletableFuture<>();
                questions.add(question);
                return question;
            },
            () -> mayDeliver);

    private void leave(int clients) {
        IntStream.range(0, clients).forEach(i -> departures.ended("client-" + i, () -> left.add("client-" + i)));
    }

    @Test
    void departures_ofManyAtOnce_areAskedAFewAtATimeAndAllOfThemOnce() {
        leave(MANY);
        departures.again();
        assertThat(questions).hasSize(Departures.AT_ONCE);

        for (int answered = 0; answered < MANY; answered++) {
            assertThat(questions.size() - answered).as("under way").isLessThanOrEqualTo(Departures.AT_ONCE);
            departures.again();
            questions.get(answered).complete(ABSENT);
        }

        assertThat(questions).hasSize(MANY);
        assertThat(left).hasSize(MANY).doesNotHaveDuplicates();
        assertThat(departures.size()).isZero();
    }

    /** Each is answered within the call that asks: nothing of it may pile up on the stack. */
    @Test
    void departures_answeredAtOnce_areAllDecided() {
        Departures ready = new Departures(client -> CompletableFuture.completedFuture(ABSENT), () -> mayDeliver);
        mayDeliver = false;
        IntStream.range(0, 100_000).forEach(i -> ready.ended("client-" + i, () -> left.add("client-" + i)));
        assertThat(ready.size()).isEqualTo(100_000);

        mayDeliver = true;
        ready.again();

        assertThat(ready.size()).isZero();
        assertThat(left).hasSize(100_000);
    }

    @Test
    void departure_thatIsBeingAsked_isNotAskedAgainByABeat() {
        leave(1);
        departures.again();
        departures.again();
        assertThat(questions).hasSize(1);

        questions.get(0).completeExceptionally(new RegistryUnavailable("as ordered", new Throwable()));
        assertThat(departures.size()).isEqualTo(1);
        departures.again();

        assertThat(questions).hasSize(2);
        questions.get(1).complete(ABSENT);
        assertThat(left).containsExactly("client-0");
    }

    /** The answer is of a moment at which the node could prove nothing, or is passed on at one. */
    @Test
    void absence_whileTheNodeMayNotDeliver_provesNothing() {
        mayDeliver = false;
        leave(1);
        assertThat(questions).isEmpty();

        mayDeliver = true;
        departures.again();
        mayDeliver = false;
        questions.get(0).complete(ABSENT);
        assertThat(left).isEmpty();
        assertThat(departures.size()).isEqualTo(1);

        mayDeliver = true;
        departures.again();
        questions.get(1).complete(ABSENT);
        assertThat(left).containsExactly("client-0");
        assertThat(departures.size()).isZero();
    }
}
