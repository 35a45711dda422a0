package io.huddle.security;

import io.huddle.setting.Setting;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Seals texts: AES-256-GCM, each bound to what it is for, under a key derived by HKDF from what the nodes share.
 *
 * <p>Above all the clients' secrets for the database, bound to the client's id, by {@code huddle.keys.secret}. They cannot be
 * stored as hashes, since verifying a signature takes the secret itself.
 *
 * <p>The sealed form is base64 of a version byte, the 96-bit nonce, the ciphertext and its tag. Immutable, for any thread.
 */
public final class SecretSeal {
    static final String SETTING = "huddle.keys.secret";

    private static final int SHORTEST = 32;
    private static final byte VERSION = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final String HMAC = "HmacSHA256";
    private static final String PURPOSE = "huddle client secrets";

    private final SecretKeySpec key;

    /** @param master at least 32 characters */
    SecretSeal(String master) {
        this(master, PURPOSE);
    }

    /**
     * A seal of its own for each purpose.
     *
     * @param master a text with 128 random bits at least, the same on every node
     */
    public SecretSeal(String master, String purpose) {
        this.key = new SecretKeySpec(derive(master, purpose), "AES");
    }

    /** The seal of this deployment, null where the setting is empty. */
    static @Nullable SecretSeal configured() {
        String master = Setting.text(SETTING);
        return master.isEmpty() ? null : new SecretSeal(master);
    }

    /** @throws IllegalStateException unless the setting is empty or long enough; never quotes it */
    static void check() {
        String master = Setting.text(SETTING);
        if (!master.isEmpty() && master.length() < SHORTEST) {
            throw new IllegalStateException(SETTING + " has " + master.length() + " characters but needs at least "
                    + SHORTEST + ": make one by 'openssl rand -base64 32' and give it to every node");
        }
    }

    /** @param bound what the text is for; it opens for nothing else */
    public String seal(String bound, String secret) {
        byte[] nonce = Proofs.random(NONCE_BYTES);
        try {
            byte[] ciphertext =
                    cipher(Cipher.ENCRYPT_MODE, nonce, bound).doFinal(secret.getBytes(StandardCharsets.UTF_8));
            byte[] sealed = Arrays.copyOf(new byte[] {VERSION}, 1 + NONCE_BYTES + ciphertext.length);
            System.arraycopy(nonce, 0, sealed, 1, NONCE_BYTES);
            System.arraycopy(ciphertext, 0, sealed, 1 + NONCE_BYTES, ciphertext.length);
            return Base64.getEncoder().encodeToString(sealed);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java runtime has AES-GCM", impossible);
        }
    }

    /** The text, or null if it was sealed under another key, for something else, or in a form not known here. */
    public @Nullable String open(String bound, String sealed) {
        try {
            byte[] bytes = Base64.getDecoder().decode(sealed);
            if (bytes.length <= 1 + NONCE_BYTES || bytes[0] != VERSION) {
                return null;
            }
            byte[] nonce = Arrays.copyOfRange(bytes, 1, 1 + NONCE_BYTES);
            byte[] ciphertext = Arrays.copyOfRange(bytes, 1 + NONCE_BYTES, bytes.length);
            return new String(cipher(Cipher.DECRYPT_MODE, nonce, bound).doFinal(ciphertext), StandardCharsets.UTF_8);
        } catch (GeneralSecurityException | IllegalArgumentException foreign) {
            return null;
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String bound) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(bound.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    /** HKDF of RFC 5869 with SHA-256, one block. */
    private static byte[] derive(String master, String purpose) {
        byte[] extracted = hmac(new byte[32], master.getBytes(StandardCharsets.UTF_8));
        byte[] info = purpose.getBytes(StandardCharsets.US_ASCII);
        byte[] block = Arrays.copyOf(info, info.length + 1);
        block[info.length] = 1;
        return hmac(extracted, block);
    }

    private static byte[] hmac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac.doFinal(text);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java runtime has " + HMAC, impossible);
        }
    }
}
