package io.huddle.web;

import java.security.SecureRandom;

/** Opaque ids: a letter that says of what, and 128 random bits. They tell neither time nor order nor person. */
public final class Ids {
    private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
    private static final int LENGTH = 26;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Ids() {}

    /** A new id, for instance {@code r-01h2…} for a room; safe for use by any thread. */
    public static String make(char kind) {
        StringBuilder id = new StringBuilder(LENGTH + 2).append(kind).append('-');
        byte[] random = new byte[LENGTH];
        RANDOM.nextBytes(random);
        for (byte b : random) {
            id.append(ALPHABET.charAt(b & 31));
        }
        return id.toString();
    }

    /** A new span id of a W3C trace context: 16 hexadecimal digits. */
    public static String span() {
        byte[] random = new byte[8];
        RANDOM.nextBytes(random);
        return java.util.HexFormat.of().formatHex(random);
    }

    /** True if the text has the form of an id of this kind; anything else is nobody's id and never reaches the database. */
    public static boolean isOf(char kind, String text) {
        if (text.length() != LENGTH + 2 || text.charAt(0) != kind || text.charAt(1) != '-') {
            return false;
        }
        return text.chars().skip(2).allMatch(c -> ALPHABET.indexOf(c) >= 0);
    }
}
