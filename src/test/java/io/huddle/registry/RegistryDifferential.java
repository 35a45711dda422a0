package io.huddle.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Long random sequences of operations, done on the registry in memory, which is the specification, and on another backend:
 * retried, late, revoked and lapsed ones among them. A failure names its seed and tells the last steps. A backend's own test
 * extends this and says how to begin a fresh registry and how time passes on its clock.
 */
abstract class RegistryDifferential {
    /** A fresh, empty registry without an epoch. */
    abstract RegistryBackend open(RegistryLimits limits);

    /** Returns when so many milliseconds have passed on the clock of the registry that was opened last. */
    abstract void pass(long ms);

    /** Makes the record of this client unreadable in the registry that was opened last. */
    abstract void corrupt(String clientId);

    /** How many rounds of up to 80 steps a sequence has; on a real clock a round takes two seconds. */
    abstract int rounds();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void answers_toARandomSequence_areAlike(long seed) {
        assertThat(run(seed, open(DifferentialRun.LIMITS))).isNotEmpty();
    }

    Map<String, Integer> run(long seed, RegistryBackend other) {
        AtomicLong clock = new AtomicLong();
        InMemoryRegistry model = new InMemoryRegistry(DifferentialRun.LIMITS, clock::get);
        return new DifferentialRun(seed, clock, model, other, this::pass, client -> {
                    model.corrupt(client);
                    corrupt(client);
                })
                .run(rounds());
    }
}
