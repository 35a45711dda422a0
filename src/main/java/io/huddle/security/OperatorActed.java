package io.huddle.security;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An operator did something. Fired inside the transaction of the deed, so that deed and audit line are written together or
 * not at all.
 *
 * @param client the client id, for what concerns a client and no session
 */
public record OperatorActed(
        String actor,
        String action,
        String reason,
        @Nullable String room,
        @Nullable String session,
        @Nullable Long generation,
        @Nullable String client,
        Instant at) {
    /** A deed that concerns a room or a session. */
    public OperatorActed(
            String actor,
            String action,
            String reason,
            @Nullable String room,
            @Nullable String session,
            @Nullable Long generation,
            Instant at) {
        this(actor, action, reason, room, session, generation, null, at);
    }

    /** A deed that concerns a client. */
    public static OperatorActed onClient(String actor, String action, String reason, String client, Instant at) {
        return new OperatorActed(actor, action, reason, null, null, null, client, at);
    }
}
