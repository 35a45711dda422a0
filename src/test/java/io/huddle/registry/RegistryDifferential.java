package io.huddle.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Long random sequences of operations, done on the registry in memory, which is the specification, and on another backend:
 * retried, late, revoked and lapsed ones among them. A failure names its seed and tells the last steps. A backend's own test
 * extends this and says where its registries come from.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RegistryDifferential {
    private final RegistrySource source;
    private final int rounds;

    /** @param rounds of up to 80 steps in a sequence; on a real clock a round takes two seconds */
    RegistryDifferential(RegistrySource source, int rounds) {
        this.source = source;
        this.rounds = rounds;
    }

    @AfterAll
    void end() {
        source.close();
    }

    /** Rounds on a real clock: more of them, for a longer look, with -Dhuddle.differential.rounds. */
    static int roundsOfRealTime() {
        return Integer.getInteger("huddle.differential.rounds", 2);
    }

    RegistryBackend open() {
        return source.open(DifferentialRun.LIMITS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void answers_toARandomSequence_areAlike(long seed) {
        assertThat(run(seed, open())).isNotEmpty();
    }

    Map<String, Integer> run(long seed, RegistryBackend other) {
        AtomicLong clock = new AtomicLong();
        InMemoryRegistry model = new InMemoryRegistry(DifferentialRun.LIMITS, clock::get);
        return new DifferentialRun(seed, clock, model, other, source::pass, client -> {
                    model.corrupt(client);
                    source.corrupt(client);
                })
                .run(rounds);
    }
}
