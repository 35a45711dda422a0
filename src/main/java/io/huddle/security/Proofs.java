package io.huddle.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/** Random texts that prove something to whoever shows them, and the hashes that are stored in their stead. */
final class Proofs {
    private static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Proofs() {}

    /** 256 random bits: 43 characters that need no encoding in an address. */
    static String random() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random(BYTES));
    }

    static byte[] random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** SHA-256 in hexadecimal. Enough for a text of 256 random bits, which nobody guesses. */
    static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java runtime has SHA-256", impossible);
        }
    }
}
