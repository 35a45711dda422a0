package io.huddle.web;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Rate limits of many subjects on this node, each with a bucket of its own. Bounded: the subject unseen for the longest
 * time is forgotten first, and starts again with a full burst. Safe for use by any thread.
 */
public final class RateLimit {
    private static final int SUBJECTS = 50_000;

    private final double perSecond;
    private final double burst;
    private final Map<String, TokenBucket> buckets = new LinkedHashMap<>(256, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, TokenBucket> eldest) {
            return size() > SUBJECTS;
        }
    };

    public RateLimit(int perSecond, int burst) {
        this.perSecond = perSecond;
        this.burst = burst;
    }

    /** @throws Refused {@code too-many-requests} if the subject has used up its burst */
    public void take(String subject) {
        long now = System.nanoTime();
        TokenBucket bucket;
        synchronized (buckets) {
            bucket = buckets.computeIfAbsent(subject, fresh -> new TokenBucket(perSecond, burst, now));
        }
        if (!bucket.take(now)) {
            throw new Refused(
                    Refusal.TOO_MANY_REQUESTS,
                    "at most " + (int) perSecond + " requests a second; wait as Retry-After says");
        }
    }
}
