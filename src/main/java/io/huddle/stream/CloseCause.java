package io.huddle.stream;

/** Why a stream ends, with its WebSocket close code. Source: the table of close codes in the stream's protocol. */
public enum CloseCause {
    NORMAL(1000),
    DRAINING(1012),
    NO_CAPACITY(1013),
    BAD_ARGUMENT(4000),
    CONFLICT(4001),
    SUPERSEDED(4002),
    TIMEOUT(4003),
    SESSION_ENDED(4004),
    OPERATOR(4005);

    private final int code;

    CloseCause(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** The name in metrics and logs, for instance {@code bad-argument}. */
    public String wire() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
