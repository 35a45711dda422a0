package io.huddle.registry;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** Texts as the bytes that every backend keeps of them. Pure. */
final class Utf8 {
    /** By bytes, which is the order of code points and not that of Java's strings. */
    static final Comparator<String> ORDER = (one, other) ->
            Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

    private Utf8() {}

    /**
     * How many bytes a text has.
     *
     * @throws IllegalArgumentException if half a surrogate pair is in it, of which UTF-8 would make a question mark: two ids
     *     would become one, and metadata would not come back as it went
     */
    static int length(String text) {
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
