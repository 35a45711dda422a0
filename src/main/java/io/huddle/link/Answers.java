package io.huddle.link;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which calls of a link have been here, and what was answered: a call that comes again is not carried out again. For one
 * thread at a time.
 *
 * <p>The numbers of a link only grow, so that a call is new if its number is above the highest one so far, whatever was
 * forgotten of the others. That is why memory may be bounded by time and bytes and a new call is never refused for want of
 * it. An answer that is too large to keep, too old or one too many is forgotten; that the call was here is not.
 */
final class Answers {
    /** What an answer takes of memory besides its bytes. */
    private static final int ENTRY_BYTES = 160;

    /** An answer larger than this part of the whole is not kept: it would push out all the others. */
    private static final int PART = 16;

    private final long keptNanos;
    private final long mostBytes;
    private final Map<Long, Kept> kept = new LinkedHashMap<>();
    private long highest;
    private long bytes;

    private record Kept(Frame answer, long at) {}

    Answers(long keptNanos, long mostBytes) {
        this.keptNanos = keptNanos;
        this.mostBytes = mostBytes;
    }

    /** True the first time. */
    boolean isNew(long id) {
        if (Long.compareUnsigned(id, highest) <= 0) {
            return false;
        }
        highest = id;
        return true;
    }

    long highest() {
        return highest;
    }

    void keep(long id, Frame answer, long now) {
        long size = size(answer);
        if (size <= mostBytes / PART) {
            kept.put(id, new Kept(answer, now));
            bytes += size;
        }
        trim(now);
    }

    /** What was answered to a call that was here, null if it is not answered yet or forgotten. */
    @Nullable
    Frame answer(long id, long now) {
        trim(now);
        Kept found = kept.get(id);
        return found == null ? null : found.answer();
    }

    long bytes() {
        return bytes;
    }

    private void trim(long now) {
        Iterator<Kept> oldest = kept.values().iterator();
        while (oldest.hasNext()) {
            Kept next = oldest.next();
            if (bytes <= mostBytes && now - next.at() <= keptNanos) {
                return;
            }
            bytes -= size(next.answer());
            oldest.remove();
        }
    }

    private static long size(Frame answer) {
        return ENTRY_BYTES + (long) answer.bytes();
    }
}
