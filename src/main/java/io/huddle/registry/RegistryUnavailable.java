package io.huddle.registry;

/** The registry gave no answer in time, or can give none now. Whether a write happened is unknown. */
public final class RegistryUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RegistryUnavailable(String message) {
        super(message);
    }

    public RegistryUnavailable(String message, Throwable cause) {
        super(message, cause);
    }
}
