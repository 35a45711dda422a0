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
 * Seals the clients' secrets for the database: AES-256-GCM, bound to the client's id, under a key derived from
 * {@code huddle.keys.secret} by HKDF. They cannot be stored as hashes, since verifying a signature takes the secret itself.
 *
 * <p>The sealed form is base64 of a version byte, the 96-bit nonce, the ciphertext and its tag. Immutable, for any thread.
 */
final class SecretSeal {
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
        this.key = new SecretKeySpec(derive(master), "AES");
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

    String seal(String client, String secret) {
        byte[] nonce = Proofs.random(NONCE_BYTES);
        try {
            byte[] ciphertext =
                    cipher(Cipher.ENCRYPT_MODE, nonce, client).doFinal(secret.getBytes(StandardCharsets.UTF_8));
            byte[] sealed = Arrays.copyOf(new byte[] {VERSION}, 1 + NONCE_BYTES + ciphertext.length);
            System.arraycopy(nonce, 0, sealed, 1, NONCE_BYTES);
            System.arraycopy(ciphertext, 0, sealed, 1 + NONCE_BYTES, ciphertext.length);
            return Base64.getEncoder().encodeToString(sealed);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java runtime has AES-GCM", impossible);
        }
    }

    /** The secret, or null if it was sealed under another key, for another client, or in a form not known here. */
    @Nullable
    String open(String client, String sealed) {
        try {
            byte[] bytes = Base64.getDecoder().decode(sealed);
            if (bytes.length <= 1 + NONCE_BYTES || bytes[0] != VERSION) {
                return null;
            }
            byte[] nonce = Arrays.copyOfRange(bytes, 1, 1 + NONCE_BYTES);
            byte[] ciphertext = Arrays.copyOfRange(bytes, 1 + NONCE_BYTES, bytes.length);
            return new String(cipher(Cipher.DECRYPT_MODE, nonce, client).doFinal(ciphertext), StandardCharsets.UTF_8);
        } catch (GeneralSecurityException | IllegalArgumentException foreign) {
            return null;
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String client) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(client.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    /** HKDF of RFC 5869 with SHA-256, one block. */
    private static byte[] derive(String master) {
        byte[] extracted = hmac(new byte[32], master.getBytes(StandardCharsets.UTF_8));
        byte[] info = PURPOSE.getBytes(StandardCharsets.US_ASCII);
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
