package io.huddle.web;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** Texts as the bytes of their UTF-8, counted without encoding them. Pure. */
public final class Utf8 {
    /** By bytes, which is the order of code points and not that of Java's strings. */
    public static final Comparator<String> ORDER = (one, other) ->
            Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

    private Utf8() {}

    /** How many bytes a text takes; a lone surrogate counts as the three bytes of its replacement. */
    public static int length(CharSequence text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            if (one < 0x80) {
                bytes++;
            } else if (one < 0x800) {
                bytes += 2;
            } else if (isPair(text, i)) {
                bytes += 4;
                i++;
            } else {
                bytes += 3;
            }
        }
        return bytes;
    }

    /**
     * How many bytes a text takes that has to come back as it went.
     *
     * @throws IllegalArgumentException if half a surrogate pair is in it, of which UTF-8 would make a question mark: two ids
     *     would become one
     */
    public static int exactLength(CharSequence text) {
        if (!isWhole(text)) {
            throw new IllegalArgumentException("a text with half a surrogate pair has no UTF-8");
        }
        return length(text);
    }

    /** Whether a text comes back from UTF-8 as it went: no half of a surrogate pair stands alone in it. */
    public static boolean isWhole(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            if (isPair(text, i)) {
                i++;
            } else if (Character.isSurrogate(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPair(CharSequence text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                && at + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(at + 1));
    }
}
