package io.huddle.registry;

import static io.huddle.registry.RegistryScene.EPOCH;
import static io.huddle.registry.RegistryScene.LIMITS;
import static io.huddle.registry.RegistryScene.SHORT_CLAIMS;
import static io.huddle.registry.RegistryScene.SHORT_MS;
import static io.huddle.registry.RegistryScene.done;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A signed handshake is good for once, on whichever node it arrives. */
interface NonceRules extends RegistryRules {
    String NONCE = "nonce-of-sixteen";

    private static NonceUse use(RegistryScene on, String clientId, String nonce, long timestamp) {
        return done(on.backend.consumeNonce(EPOCH, clientId, nonce, timestamp));
    }

    @Test
    default void nonce_usedTwice_isReplayed() {
        RegistryScene on = begin();
        assertThat(use(on, "alice", NONCE, on.now())).isEqualTo(NonceUse.FRESH);
        assertThat(use(on, "alice", NONCE, on.now())).isEqualTo(NonceUse.REPLAYED);
        assertThat(use(on, "alice", NONCE + "2", on.now())).isEqualTo(NonceUse.FRESH);
    }

    @Test
    default void nonce_ofAnotherClient_isAnother() {
        RegistryScene on = begin();
        assertThat(use(on, "alice", NONCE, on.now())).isEqualTo(NonceUse.FRESH);
        assertThat(use(on, "bob", NONCE, on.now())).isEqualTo(NonceUse.FRESH);
        assertThat(use(on, "a", "b" + NONCE, on.now())).isEqualTo(NonceUse.FRESH);
        assertThat(use(on, "ab", NONCE, on.now())).isEqualTo(NonceUse.FRESH);
    }

    @Test
    default void nonce_atTheSameTimeOnManyNodes_isFreshOnce() {
        RegistryScene on = begin();
        long now = on.now();
        List<CompletableFuture<NonceUse>> uses = IntStream.range(0, 16)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> use(on, "alice", NONCE, now)))
                .toList();
        assertThat(uses.stream().map(RegistryScene::done))
                .filteredOn(NonceUse.FRESH::equals)
                .hasSize(1);
    }

    @Test
    default void nonce_outsideOfTheWindow_isRefusedAndNotUsedUp() {
        RegistryScene on = begin();
        long drift = LIMITS.clockDriftMs();
        // A second off the edge, since a real clock goes on meanwhile.
        assertThat(use(on, "alice", NONCE, on.now() - drift - 1)).isEqualTo(NonceUse.OUT_OF_TIME);
        assertThat(use(on, "alice", NONCE, on.now() + drift + 1_000)).isEqualTo(NonceUse.OUT_OF_TIME);
        assertThat(use(on, "alice", NONCE, Long.MIN_VALUE)).isEqualTo(NonceUse.OUT_OF_TIME);
        assertThat(use(on, "alice", NONCE, Long.MAX_VALUE)).isEqualTo(NonceUse.OUT_OF_TIME);
        assertThat(use(on, "alice", NONCE, on.now() + drift - 1_000)).isEqualTo(NonceUse.FRESH);
    }

    /** What was used in the life before is not known in this one. */
    @Test
    default void nonce_olderThanTheEpoch_isRefused() {
        RegistryScene on = begin();
        long before = on.now() - 1_000;
        assertThat(use(on, "alice", NONCE, before)).isEqualTo(NonceUse.BEFORE_EPOCH);
        on.passes(2);
        long first = on.now();
        assertThat(use(on, "alice", NONCE, first)).isEqualTo(NonceUse.FRESH);
        on.passes(2);
        done(on.backend.beginEpoch("epoch-2"));
        assertThat(use(on, "alice", NONCE, on.now())).isEqualTo(NonceUse.OTHER_EPOCH);
        assertThat(done(on.backend.consumeNonce("epoch-2", "alice", NONCE, first)))
                .isEqualTo(NonceUse.BEFORE_EPOCH);
        assertThat(done(on.backend.consumeNonce("epoch-2", "bob", NONCE, on.now())))
                .isEqualTo(NonceUse.FRESH);
    }

    @Test
    default void nonce_afterItsTime_isForgotten() {
        RegistryScene on = begin(SHORT_CLAIMS);
        assertThat(use(on, "alice", NONCE, on.now())).isEqualTo(NonceUse.FRESH);
        on.passes(SHORT_MS + 1);
        assertThat(use(on, "alice", NONCE, on.now())).isEqualTo(NonceUse.FRESH);
    }

    /** A quota over all would refuse them after an outage, when everybody comes at once. */
    @Test
    default void nonces_ofManyClientsAndOfOne_areAllTaken() {
        RegistryScene on = begin();
        List<CompletableFuture<NonceUse>> uses = IntStream.range(0, 6_000)
                .mapToObj(i -> on.backend
                        .consumeNonce(EPOCH, i < 5_500 ? "client-" + i : "alice", NONCE + i, on.now())
                        .toCompletableFuture())
                .toList();
        assertThat(uses.stream().map(RegistryScene::done)).allMatch(NonceUse.FRESH::equals);
    }
}
