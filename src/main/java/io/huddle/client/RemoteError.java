package io.huddle.client;

/**
 * A typed error of a call. The server's errors arrive as one; a handler throws one to have its text and flag arrive at the
 * server. Whatever else a handler throws arrives there as {@code internal-error}.
 */
public final class RemoteError extends HuddleException {
    private static final long serialVersionUID = 1L;

    private final boolean userError;

    /**
     * @param message for instance {@code stale-generation}; never holds what must not be logged
     * @param userError true if the caller's input is at fault and the text is meant for it
     */
    public RemoteError(String message, boolean userError) {
        super(message, null);
        this.userError = userError;
    }

    /** The error as it was on the wire. */
    public String error() {
        return String.valueOf(getMessage());
    }

    public boolean isUserError() {
        return userError;
    }
}
