package io.huddle.web;

/**
 * Every refusal of the REST contract: HTTP status, title and whether the same request may succeed later.
 *
 * <p>The slug is the {@code code} of the problem and the end of its {@code type}. Source: the table of the REST contract.
 */
public enum Refusal {
    INVALID_REQUEST(400, "The request is not valid", false),
    IDEMPOTENCY_KEY_MISSING(400, "The header Idempotency-Key is missing", false),
    REASON_MISSING(400, "The header Huddle-Reason is missing", false),
    UNAUTHENTICATED(401, "A valid bearer token is needed", false),
    FORBIDDEN(403, "The caller may not do this", false),
    NOT_FOUND(404, "There is no such resource", false),
    ROOM_NOT_FOUND(404, "There is no such room", false),
    SESSION_NOT_FOUND(404, "There is no such session", false),
    CLIENT_NOT_FOUND(404, "There is no such client", false),
    METHOD_NOT_ALLOWED(405, "The path does not know this method", false),
    NOT_ACCEPTABLE(406, "The accepted media types are not served here", false),
    ROOM_EXISTS(409, "A room of this occurrence is open already", false),
    ROOM_CLOSING(409, "The room is closing", false),
    ROOM_CLOSED(409, "The room is closed", false),
    ROOM_FULL(409, "The room is full", false),
    STALE_GENERATION(409, "A newer generation of the session exists", false),
    CLIENT_DISCONNECTED(409, "The client is not connected any more", false),
    CLIENT_EXISTS(409, "A client has this id already", false),
    CLIENT_KEYS_DISABLED(409, "This deployment has no client keys", false),
    LEASE_EXPIRED(410, "The lease has run out", false),
    SESSION_ENDED(410, "The session has ended", false),
    PAYLOAD_TOO_LARGE(413, "The body is too large", false),
    UNSUPPORTED_MEDIA_TYPE(415, "The body must be application/json", false),
    IDEMPOTENCY_KEY_REUSED(422, "The key was used for another request", false),
    TOO_MANY_REQUESTS(429, "Too many requests", true),
    INTERNAL_ERROR(500, "An internal error", false),
    CLIENT_ERROR(502, "The client answered with an error", false),
    /** Sent and not answered. */
    DELIVERY_INDETERMINATE(502, "The client may or may not have taken the call", false),
    UNAVAILABLE(503, "The service cannot answer now", true),
    /** Surely not sent. */
    OWNER_UNAVAILABLE(503, "The client's node cannot be reached now", true),
    BACKPRESSURE(503, "As much waits for the client as may wait", true),
    /** Surely not sent. */
    DEADLINE_EXCEEDED(504, "The call was not delivered in time", false);

    private final int status;
    private final String title;
    private final boolean retryable;

    Refusal(int status, String title, boolean retryable) {
        this.status = status;
        this.title = title;
        this.retryable = retryable;
    }

    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** True if the same request may succeed later; the answer then carries Retry-After. */
    public boolean isRetryable() {
        return retryable;
    }

    /** The name on the wire, for instance {@code room-closed}. */
    public String slug() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
