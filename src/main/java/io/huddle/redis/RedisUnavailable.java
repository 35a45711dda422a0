package io.huddle.redis;

/**
 * Redis gave no answer in time, or refused to give one. Whether a write happened is unknown. Carries no cause: the client
 * library's own exceptions hold the arguments of the failed command, which must not reach a log.
 */
public final class RedisUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RedisUnavailable(String message) {
        super(message);
    }
}
