package io.huddle.client;

import org.jspecify.annotations.Nullable;

/** What goes wrong with a call or a connection: an error of the other side, or a failure on the way to it. */
public abstract sealed class HuddleException extends RuntimeException permits RemoteError, HuddleFailure {
    private static final long serialVersionUID = 1L;

    /** Without a stack trace, which would only tell of the client's inside. */
    HuddleException(String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
    }
}
