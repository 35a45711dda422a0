package io.huddle.registry;

/** Makes records unreadable, as a hand in the store might. */
public final class Corruption {
    private Corruption() {}

    public static void of(InMemoryRegistry registry, String clientId) {
        registry.corrupt(clientId);
    }
}
