package io.huddle.registry;

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
        int bytes = utf8Length(clientId);
        if (bytes < 1 || bytes > LONGEST_CLIENT_ID) {
            throw new IllegalArgumentException("a client id has 1 to " + LONGEST_CLIENT_ID + " bytes, not " + bytes);
        }
    }

    static void checkMetadata(String metadata) {
        int bytes = utf8Length(metadata);
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

    /**
     * Bytes of a text in UTF-8.
     *
     * @throws IllegalArgumentException if half a surrogate pair is in it, of which UTF-8 would make a question mark: two ids
     *     would become one, and metadata would not come back as it went
     */
    static int utf8Length(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            if (one < 0x80) {
                bytes++;
            } else if (one < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(one)) {
                bytes += 3;
            } else if (Character.isHighSurrogate(one)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                throw new IllegalArgumentException("a text with half a surrogate pair has no UTF-8");
            }
        }
        return bytes;
    }
}
