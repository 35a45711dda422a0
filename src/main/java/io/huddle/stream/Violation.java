package io.huddle.stream;

/** A peer broke the protocol or a limit: its stream ends with the cause. Has no stack trace. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final CloseCause cause;
    private final String limit;

    private Violation(CloseCause cause, String limit, String reason) {
        super(reason, null, false, false);
        this.cause = cause;
        this.limit = limit;
    }

    /** What was sent makes no sense. */
    static Violation malformed(String reason) {
        return new Violation(CloseCause.BAD_ARGUMENT, "protocol", reason);
    }

    /** @param limit its name in metrics, from a closed set */
    static Violation over(String limit, String reason) {
        return new Violation(CloseCause.BAD_ARGUMENT, limit, reason);
    }

    CloseCause cause() {
        return cause;
    }

    String limit() {
        return limit;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
