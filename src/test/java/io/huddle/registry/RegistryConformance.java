package io.huddle.registry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a backend of the registry has to do, as tests: every rule of {@link RegistryBackend}. A backend's own test extends
 * this and says how to begin a fresh registry and how time passes on its clock.
 */
abstract class RegistryConformance
        implements WriteRules, RecordRules, ListingRules, ClaimRules, OrphanRules, NonceRules {
    /** A fresh, empty registry without an epoch. */
    abstract RegistryBackend open(RegistryLimits limits);

    /** Returns when so many milliseconds have passed on the clock of the registry that was opened last. */
    abstract void pass(long ms);

    @Override
    public RegistryBackend beginWithoutEpoch(RegistryLimits limits) {
        return open(limits);
    }

    @Override
    public RegistryScene begin(RegistryLimits limits) {
        RegistryBackend backend = open(limits);
        assertThat(backend.capabilities())
                .as("this suite is for backends that can do it all")
                .contains(Capability.CLAIMS, Capability.DURABLE_ORPHANS, Capability.NONCES);
        return new RegistryScene(backend, this::pass);
    }
}
