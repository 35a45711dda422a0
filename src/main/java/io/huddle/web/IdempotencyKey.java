package io.huddle.web;

import org.jspecify.annotations.Nullable;

/**
 * The header {@code Idempotency-Key}: 1 to 255 visible ASCII characters, bare or as an RFC 8941 quoted string; both
 * spellings of a key are the same key. Pure.
 */
public record IdempotencyKey(String value) {
    private static final int LONGEST = 255;

    /**
     * The key, or null where the header is missing or empty.
     *
     * @throws Refused {@code invalid-request} if it is malformed
     */
    public static @Nullable IdempotencyKey parse(@Nullable String header) {
        if (header == null || header.isBlank()) {
            return null;
        }
        String text = header.strip();
        String key = text.startsWith("\"") ? unquoted(text) : text;
        if (key.isEmpty() || key.length() > LONGEST || !key.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw malformed();
        }
        return new IdempotencyKey(key);
    }

    private static String unquoted(String text) {
        StringBuilder key = new StringBuilder();
        int i = 1;
        while (i < text.length() && text.charAt(i) != '"') {
            if (text.charAt(i) == '\\') {
                i++;
                if (i >= text.length() || (text.charAt(i) != '"' && text.charAt(i) != '\\')) {
                    throw malformed();
                }
            }
            key.append(text.charAt(i));
            i++;
        }
        if (i != text.length() - 1) {
            throw malformed();
        }
        return key.toString();
    }

    private static Refused malformed() {
        return Refused.invalid("Idempotency-Key must be 1 to 255 visible ASCII characters, bare or as a quoted string");
    }
}
