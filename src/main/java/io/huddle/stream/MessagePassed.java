package io.huddle.stream;

import org.jspecify.annotations.Nullable;

/**
 * Fired for each message that passes, if anybody observes it: observers must be quick.
 *
 * @param inbound true if the client sent it
 * @param type the method's field, for instance {@code uRenewRequest}, or {@code error}
 * @param requestId null for pings and byte streams
 */
public record MessagePassed(
        ClientStream stream,
        boolean inbound,
        String type,
        @Nullable String requestId) {}
