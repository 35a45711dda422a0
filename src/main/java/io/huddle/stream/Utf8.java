package io.huddle.stream;

/** Lengths of texts in bytes, without encoding them. Pure. */
final class Utf8 {
    private Utf8() {}

    /** How many bytes of UTF-8 a text takes; a lone surrogate counts as the three bytes of its replacement. */
    static int length(CharSequence text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes += 1;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                bytes += 3;
            }
        }
        return bytes;
    }
}
