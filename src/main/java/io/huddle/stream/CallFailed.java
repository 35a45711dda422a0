package io.huddle.stream;

/** A call of the server to a client that got no answer. Has no stack trace. */
public class CallFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What is known about the call. */
    public enum Reason {
        /** It was not sent: the stream is gone. */
        DISCONNECTED,
        /** It was not sent: as many calls or bytes wait as may wait. Try again later. */
        BACKPRESSURE,
        /** It was not sent: it is larger than a message may be. */
        TOO_LARGE,
        /** Its deadline passed while it waited for the socket: surely not sent. */
        DEADLINE_EXCEEDED,
        /** It was sent, and its deadline passed or the stream ended before the answer: it may have been done. */
        DELIVERY_INDETERMINATE
    }

    private final Reason reason;

    public CallFailed(Reason reason) {
        super(reason.name(), null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
