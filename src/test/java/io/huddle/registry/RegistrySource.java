package io.huddle.registry;

/** Where the registries of a test come from, and what only a test does to them. */
interface RegistrySource extends AutoCloseable {
    /** A fresh, empty registry without an epoch. */
    RegistryBackend open(RegistryLimits limits);

    /** Returns when so many milliseconds have passed on the clock of the registry that was opened last. */
    void pass(long ms);

    /** Makes the record of this client unreadable in the registry that was opened last. */
    void corrupt(String clientId);

    @Override
    default void close() {}
}
