package io.huddle.registry;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Registries in memory, whose time passes when the test says so. */
final class InMemoryRegistries implements RegistrySource {
    private final AtomicLong clock = new AtomicLong(1_700_000_000_000L);
    private @Nullable InMemoryRegistry registry;

    @Override
    public RegistryBackend open(RegistryLimits limits) {
        registry = new InMemoryRegistry(limits, clock::get);
        return registry;
    }

    @Override
    public void pass(long ms) {
        clock.addAndGet(ms);
    }

    @Override
    public void corrupt(String clientId) {
        Objects.requireNonNull(registry).corrupt(clientId);
    }
}
