package io.huddle.redis;

import io.huddle.setting.Setting;
import java.util.function.ToIntFunction;

/**
 * What the connection to Redis may take and use. Immutable.
 *
 * @param connectMs how long a connection may take to come about
 * @param timeoutMs how long an operation may take with everything
 * @param retries how often it is sent again within that time
 * @param connections to each server
 * @param threads for what Redis publishes
 * @param nettyThreads for reading and writing
 */
public record RedisLimits(int connectMs, int timeoutMs, int retries, int connections, int threads, int nettyThreads) {
    public static final RedisLimits DEFAULT = from(Setting::byDefault);

    static RedisLimits configured() {
        return from(Setting::value);
    }

    /** How long each time may take that an operation is sent, so that the last answer comes before the time is over. */
    int attemptMs() {
        return Math.max(1, timeoutMs / (retries + 1));
    }

    private static RedisLimits from(ToIntFunction<Setting> value) {
        return new RedisLimits(
                value.applyAsInt(Setting.REDIS_CONNECT_TIMEOUT_MS),
                value.applyAsInt(Setting.REDIS_TIMEOUT_MS),
                value.applyAsInt(Setting.REDIS_RETRIES),
                value.applyAsInt(Setting.REDIS_CONNECTIONS),
                value.applyAsInt(Setting.REDIS_THREADS),
                value.applyAsInt(Setting.REDIS_NETTY_THREADS));
    }
}
