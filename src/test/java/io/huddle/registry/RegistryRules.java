package io.huddle.registry;

/** What every part of the conformance suite is given. */
interface RegistryRules {
    /** A fresh registry with these bounds in epoch {@link RegistryScene#EPOCH}. */
    RegistryScene begin(RegistryLimits limits);

    /** A fresh registry in which no epoch has begun. */
    RegistryBackend beginWithoutEpoch(RegistryLimits limits);

    default RegistryScene begin() {
        return begin(RegistryScene.LIMITS);
    }

    /** Makes the record of this client unreadable in the backend that was begun last. */
    void corrupt(String clientId);
}
