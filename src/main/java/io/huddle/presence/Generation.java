package io.huddle.presence;

import io.huddle.web.Page;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import org.jspecify.annotations.Nullable;

/** Generations and counters as they come in: unsigned 32-bit numbers. Pure. */
final class Generation {
    private static final long UINT32 = 4_294_967_295L;

    private Generation() {}

    static long read(RequestBody body) {
        return body.number("generation", 1, UINT32);
    }

    static @Nullable Long counter(RequestBody body) {
        return body.optionalNumber("counter", 0, UINT32);
    }

    /** A generation of the stream's messages, where a missing one is zero. */
    static long of(int unsigned) {
        if (unsigned == 0) {
            throw Refused.invalid("generation must be a whole number from 1 to " + UINT32);
        }
        return Integer.toUnsignedLong(unsigned);
    }

    static long parse(@Nullable String query) {
        return Page.number("generation", query, 1, UINT32);
    }
}
