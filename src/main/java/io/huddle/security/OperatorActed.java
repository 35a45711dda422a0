package io.huddle.security;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An operator did something. Fired inside the transaction of the deed, so that deed and audit line are written together or
 * not at all.
 *
 * @param reason the operator's words; null for {@link #READ_ROSTER}, which needs none
 * @param client the client id, for what concerns a client and no session
 * @param target what else it concerns: a chunk of orphans, a node, the scope of a stage
 */
public record OperatorActed(
        String actor,
        String action,
        @Nullable String reason,
        @Nullable String room,
        @Nullable String session,
        @Nullable Long generation,
        @Nullable String client,
        @Nullable String target,
        Instant at) {
    /** The action of who looked at a roster as an operator; noted once in a while and not at each look. */
    public static final String READ_ROSTER = "roster.read";

    /** A deed that concerns a room or a session. */
    public OperatorActed(
            String actor,
            String action,
            String reason,
            @Nullable String room,
            @Nullable String session,
            @Nullable Long generation,
            Instant at) {
        this(actor, action, reason, room, session, generation, null, null, at);
    }

    /** A deed that concerns a client. */
    public static OperatorActed onClient(String actor, String action, String reason, String client, Instant at) {
        return new OperatorActed(actor, action, reason, null, null, null, client, null, at);
    }

    /** A deed that concerns none of these. */
    public static OperatorActed onTarget(String actor, String action, String reason, String target, Instant at) {
        return new OperatorActed(actor, action, reason, null, null, null, null, target, at);
    }

    /** An operator looked at the roster of a room. */
    public static OperatorActed readRoster(String actor, String room, Instant at) {
        return new OperatorActed(actor, READ_ROSTER, null, room, null, null, null, null, at);
    }
}
