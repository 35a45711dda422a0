package io.huddle.registry;

import static io.huddle.registry.RegistryScene.N1;
import static io.huddle.registry.RegistryScene.N2;
import static io.huddle.registry.RegistryScene.N3;
import static io.huddle.registry.RegistryScene.done;
import static io.huddle.registry.RegistryScene.unordered;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InMemoryRegistryTest extends RegistryConformance {
    InMemoryRegistryTest() {
        super(new InMemoryRegistries());
    }

    /** Five minutes are too long for a real clock, which is why this is not for all backends. */
    @Test
    void chunk_renewedForFiveMinutes_isGivenUp() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 10));
        OrphanChunk chunk = done(on.backend.claimOrphaned(on.warrant(N2))).orElseThrow();
        for (int i = 0; i < 14; i++) {
            on.passes(20_000);
            assertThat(done(on.backend.renewOrphaned(on.warrant(N2), chunk))).isTrue();
        }
        on.passes(19_999);
        assertThat(done(on.backend.claimOrphaned(on.warrant(N3)))).isEmpty();
        on.passes(1);
        assertThat(done(on.backend.renewOrphaned(on.warrant(N2), chunk))).isFalse();
        assertThat(done(on.backend.claimOrphaned(on.warrant(N3)))).isPresent();
    }

    /** Which may not be sooner than the registry refuses what they are remembered against. */
    @Test
    void memories_areThrownAwayOnceTheirTimeIsOver() {
        RegistryScene on = begin();
        Warrant warrant = on.warrant(N1, on.now() + 5_000);
        done(on.backend.register(warrant, unordered("alice", "c1")));
        on.unregister(N1, "alice", "c1");
        on.passes(5_000);
        assertThat(done(on.backend.register(warrant, unordered("alice", "c1"))).status())
                .isEqualTo(Written.Status.NOT_OWNER);
        on.passes(1);
        assertThat(done(on.backend.register(warrant, unordered("alice", "c1"))).status())
                .isEqualTo(Written.Status.TOO_LATE);
    }
}
