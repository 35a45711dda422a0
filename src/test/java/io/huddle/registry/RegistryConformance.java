package io.huddle.registry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/**
 * What a backend of the registry has to do, as tests: every rule of {@link RegistryBackend}. A backend's own test extends
 * this and says where its registries come from.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RegistryConformance
        implements WriteRules, RecordRules, ListingRules, ClaimRules, OrphanRules, NonceRules {
    private final RegistrySource source;

    RegistryConformance(RegistrySource source) {
        this.source = source;
    }

    @AfterAll
    void end() {
        source.close();
    }

    @Override
    public RegistryBackend beginWithoutEpoch(RegistryLimits limits) {
        return source.open(limits);
    }

    @Override
    public RegistryScene begin(RegistryLimits limits) {
        RegistryBackend backend = source.open(limits);
        assertThat(backend.capabilities())
                .as("this suite is for backends that can do it all")
                .contains(Capability.CLAIMS, Capability.DURABLE_ORPHANS, Capability.NONCES);
        return new RegistryScene(backend, source::pass);
    }

    @Override
    public void corrupt(String clientId) {
        source.corrupt(clientId);
    }
}
