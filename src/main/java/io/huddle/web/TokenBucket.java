package io.huddle.web;

/** A rate limit of one subject: so many a second, with a burst. Pure: time is an argument, in nanoseconds. */
public final class TokenBucket {
    private static final double NANOS = 1e9;

    private final double perSecond;
    private final double burst;
    private double tokens;
    private long last;

    /** @param now in nanoseconds, by the clock of all later calls */
    public TokenBucket(double perSecond, double burst, long now) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.tokens = burst;
        this.last = now;
    }

    /** Takes one token if there is one. Safe for use by several threads. */
    public synchronized boolean take(long now) {
        tokens = Math.min(burst, tokens + (now - last) * perSecond / NANOS);
        last = now;
        if (tokens < 1) {
            return false;
        }
        tokens -= 1;
        return true;
    }
}
