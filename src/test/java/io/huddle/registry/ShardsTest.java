package io.huddle.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShardsTest {
    /** Computed elsewhere: what is stored under these numbers has to be found by every release. */
    @ParameterizedTest
    @CsvSource({"alice, 14, 6", "bob, 20, 4", "zoë, 41, 3", "123456789, 3, 2"})
    void of_knownIds_staysWhereItWas(String clientId, int of64, int of7) {
        assertThat(new Shards(64).of(clientId)).isEqualTo(of64);
        assertThat(new Shards(7).of(clientId)).isEqualTo(of7);
        assertThat(new Shards(1).of(clientId)).isZero();
    }

    @Test
    void of_idsThatDifferLittle_areSpreadEvenly() {
        Shards shards = new Shards(64);
        int[] clients = new int[64];
        IntStream.range(0, 64_000).forEach(i -> clients[shards.of("participant-" + i)]++);
        assertThat(IntStream.of(clients)).allMatch(count -> count > 800 && count < 1_200);
    }

    @Test
    void shards_none_areRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Shards(0));
    }
}
