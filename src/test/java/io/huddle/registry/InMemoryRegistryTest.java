package io.huddle.registry;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

class InMemoryRegistryTest extends RegistryConformance {
    private final AtomicLong clock = new AtomicLong(1_700_000_000_000L);
    private @Nullable InMemoryRegistry registry;

    @Override
    RegistryBackend open(RegistryLimits limits) {
        registry = new InMemoryRegistry(limits, clock::get);
        return registry;
    }

    @Override
    void pass(long ms) {
        clock.addAndGet(ms);
    }

    @Override
    public void corrupt(String clientId) {
        java.util.Objects.requireNonNull(registry).corrupt(clientId);
    }
}
