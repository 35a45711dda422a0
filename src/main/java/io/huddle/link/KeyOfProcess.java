package io.huddle.link;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/** An Ed25519 key that is made anew at each start of a process and never leaves it. Safe for use by any thread. */
final class KeyOfProcess {
    private static final String ED25519 = "Ed25519";

    private final KeyPair pair;

    KeyOfProcess() {
        try {
            pair = KeyPairGenerator.getInstance(ED25519).generateKeyPair();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java runtime since 15 has " + ED25519, impossible);
        }
    }

    /** The public half, X.509. */
    byte[] encoded() {
        return pair.getPublic().getEncoded();
    }

    /** The public half, X.509 in Base64, as the membership publishes it. */
    String published() {
        return Base64.getEncoder().encodeToString(encoded());
    }

    byte[] sign(byte[] text) {
        try {
            Signature signature = Signature.getInstance(ED25519);
            signature.initSign(pair.getPrivate());
            signature.update(text);
            return signature.sign();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("a key made here signs", impossible);
        }
    }

    /** True if the private half of this key signed the text; false also for what is no key. */
    static boolean isSigned(byte[] key, byte[] text, byte[] signature) {
        try {
            PublicKey known = KeyFactory.getInstance(ED25519).generatePublic(new X509EncodedKeySpec(key));
            Signature check = Signature.getInstance(ED25519);
            check.initVerify(known);
            check.update(text);
            return check.verify(signature);
        } catch (GeneralSecurityException | RuntimeException forged) {
            return false;
        }
    }
}
