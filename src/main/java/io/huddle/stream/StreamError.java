package io.huddle.stream;

/** A typed error of a call, as thrown by a handler on either side. Has no stack trace: it is an answer, not a defect. */
public class StreamError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean userError;

    /** @param userError true if the caller's input is at fault and the text is meant for it */
    public StreamError(String message, boolean userError) {
        super(message, null, false, false);
        this.userError = userError;
    }

    public boolean isUserError() {
        return userError;
    }
}
