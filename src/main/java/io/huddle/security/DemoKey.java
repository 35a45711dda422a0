package io.huddle.security;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** The key pair of the demo sign-in: made at each start, never stored, known to this process alone. */
final class DemoKey {
    static final String ISSUER = "huddle-demo";

    private static final KeyPair PAIR = make();

    private DemoKey() {}

    static KeyPair pair() {
        return PAIR;
    }

    static String publicPem() {
        return "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(PAIR.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----";
    }

    private static KeyPair make() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java runtime has RSA", impossible);
        }
    }
}
