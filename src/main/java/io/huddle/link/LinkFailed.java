package io.huddle.link;

import org.jspecify.annotations.Nullable;

/** A call over a link that was not answered with a result. Immutable. */
public final class LinkFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The code of an operation that the peer does not know, for instance since it runs an older release. */
    public static final String UNKNOWN_OPERATION = "unknown-operation";

    /** The code of whatever failed in the handler without a code of its own. */
    public static final String FAILED = "failed";

    /** The code of a stream that its receiver broke off; the message is the reason that it gave, or null. */
    public static final String DESTROYED = "destroyed";

    /** The code of a result that no frame can carry; the call was carried out. */
    public static final String RESULT_TOO_LARGE = "result-too-large";

    /** The code of a result that was not sent, since as much waited to be written as may; the call was carried out. */
    public static final String RESULT_NOT_SENT = "result-not-sent";

    /** What is known of the call. */
    public enum Reason {
        /** It was not sent: a retry is safe. */
        NOT_SENT,
        /** It was not sent within its deadline: a retry is safe, but the time is over. */
        NOT_SENT_IN_TIME,
        /** Too much waits already: it was not sent. */
        BACKPRESSURE,
        /** It was sent and not answered: it may have been carried out. */
        INDETERMINATE,
        /** The peer answered with an error; {@link #code()} says which. */
        REMOTE
    }

    private final Reason reason;
    private final @Nullable String code;
    private final boolean userError;

    public LinkFailed(Reason reason, String message) {
        this(reason, null, false, message);
    }

    public LinkFailed(Reason reason, @Nullable String code, boolean userError, @Nullable String message) {
        super(message, null, false, false);
        this.reason = reason;
        this.code = code;
        this.userError = userError;
    }

    public Reason reason() {
        return reason;
    }

    /** The error's code as the peer's handler gave it; null unless {@code REMOTE}. */
    public @Nullable String code() {
        return code;
    }

    public boolean isUserError() {
        return userError;
    }
}
