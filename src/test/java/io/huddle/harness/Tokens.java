package io.huddle.harness;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The identity provider of the tests: one RSA key a JVM, which the nodes trust, and tokens both good and forged. */
public final class Tokens {
    public static final String ISSUER = "https://issuer.example";
    public static final String AUDIENCE = "huddle";
    private static final Duration LIFETIME = Duration.ofHours(1);
    private static final KeyPair TRUSTED = newKey();

    private Tokens() {}

    /** What makes a {@link Node} trust these tokens: the key, the issuer and the audience. */
    public static Map<String, String> env() {
        return Map.of(
                "MP_JWT_VERIFY_PUBLICKEY", publicKey(),
                "MP_JWT_VERIFY_ISSUER", ISSUER,
                "MP_JWT_VERIFY_AUDIENCES", AUDIENCE);
    }

    public static String participant(String subject, String... teams) {
        return of(subject).groups("participant").teams(teams).signed();
    }

    public static String integrator(String subject, String... teams) {
        return of(subject).groups("integrator").teams(teams).signed();
    }

    public static String operator(String subject) {
        return of(subject).groups("operator").signed();
    }

    /** A token that is right in everything but carries no role and no team yet. */
    public static Draft of(String subject) {
        Instant now = Instant.now();
        return new Draft(new JWTClaimsSet.Builder()
                .subject(subject)
                .issuer(ISSUER)
                .audience(AUDIENCE)
                .jwtID(UUID.randomUUID().toString())
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(LIFETIME))));
    }

    /** The trusted public key (SPKI) as PEM. Without the frame Liberty finds no key in it and refuses every token. */
    private static String publicKey() {
        String base64 =
                Base64.getMimeEncoder().encodeToString(TRUSTED.getPublic().getEncoded());
        return "-----BEGIN PUBLIC KEY-----\n" + base64 + "\n-----END PUBLIC KEY-----";
    }

    private static KeyPair newKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The claims of one token, until it is signed in one of the right or wrong ways. Not for several threads. */
    public static final class Draft {
        private final JWTClaimsSet.Builder claims;

        private Draft(JWTClaimsSet.Builder claims) {
            this.claims = claims;
        }

        public Draft groups(String... groups) {
            return claim("groups", List.of(groups));
        }

        public Draft teams(String... teams) {
            return claim("teams", List.of(teams));
        }

        public Draft issuer(String issuer) {
            claims.issuer(issuer);
            return this;
        }

        public Draft audience(String... audience) {
            claims.audience(List.of(audience));
            return this;
        }

        /**
         * When the token ends, from now; negative for one that has ended (mind the verifier's clock skew). Such a one was
         * issued before that, or it would be refused for another reason than its age.
         */
        public Draft expiresIn(Duration lifetime) {
            Instant now = Instant.now();
            Instant end = now.plus(lifetime);
            claims.expirationTime(Date.from(end));
            claims.issueTime(Date.from(lifetime.isNegative() ? end.minus(LIFETIME) : now));
            return this;
        }

        /** Any claim, of any JSON type. */
        public Draft claim(String name, Object value) {
            claims.claim(name, value);
            return this;
        }

        public Draft without(String name) {
            claims.claim(name, null);
            return this;
        }

        /** RS256 with the trusted key. */
        public String signed() {
            return sign(JWSAlgorithm.RS256, new RSASSASigner(TRUSTED.getPrivate()));
        }

        /** Ended two hours ago, otherwise right. */
        public String expired() {
            return expiresIn(Duration.ofHours(-2)).signed();
        }

        /** RS256 with a key that nobody trusts. */
        public String signedByStranger() {
            return sign(JWSAlgorithm.RS256, new RSASSASigner(newKey().getPrivate()));
        }

        /** {@code alg: none}: claims without a signature. */
        public String unsigned() {
            return new PlainJWT(claims.build()).serialize();
        }

        /** HS256 keyed with the public key, which fools a verifier that lets the token choose the algorithm. */
        public String signedWithPublicKey() {
            try {
                return sign(JWSAlgorithm.HS256, new MACSigner(publicKey().getBytes(StandardCharsets.US_ASCII)));
            } catch (JOSEException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        private String sign(JWSAlgorithm algorithm, JWSSigner signer) {
            try {
                SignedJWT token = new SignedJWT(
                        new JWSHeader.Builder(algorithm)
                                .type(JOSEObjectType.JWT)
                                .build(),
                        claims.build());
                token.sign(signer);
                return token.serialize();
            } catch (JOSEException failed) {
                throw new IllegalStateException(failed);
            }
        }
    }
}
