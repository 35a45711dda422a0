package io.huddle.registry;

import io.huddle.web.Utf8;

/** What no registry takes, whatever its state: refused before anything is asked of it. Pure. */
final class Bounds {
    static final int LONGEST_CLIENT_ID = 1_024;
    static final int LARGEST_METADATA = 64 << 10;

    private Bounds() {}

    static void check(Registration registration) {
        checkClientId(registration.clientId());
        checkMetadata(registration.metadata());
    }

    static void checkClientId(String clientId) {
        int bytes = Utf8.exactLength(clientId);
        if (!isClientId(clientId)) {
            throw new IllegalArgumentException("a client id has 1 to " + LONGEST_CLIENT_ID + " bytes, not " + bytes);
        }
    }

    static boolean isClientId(String text) {
        int bytes = Utf8.length(text);
        return Utf8.isWhole(text) && bytes >= 1 && bytes <= LONGEST_CLIENT_ID;
    }

    static void checkMetadata(String metadata) {
        int bytes = Utf8.exactLength(metadata);
        if (bytes > LARGEST_METADATA) {
            throw new IllegalArgumentException("metadata has " + LARGEST_METADATA + " bytes at most, not " + bytes);
        }
    }

    static void checkLimit(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("a page or a step has room for one at least, not " + limit);
        }
    }

    static void checkDelay(long delayMs) {
        if (delayMs < 0) {
            throw new IllegalArgumentException("a delay does not go back: " + delayMs);
        }
    }
}
