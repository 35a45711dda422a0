package io.huddle.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.jwt.SignedJWT;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class TokensTest {
    @Test
    void token_signed_verifiesWithTheKeyThatNodesAreGiven() throws Exception {
        SignedJWT token = SignedJWT.parse(Tokens.participant("p-1", "icu", "er"));
        assertThat(token.verify(verifier())).isTrue();
        JWTClaimsSet claims = token.getJWTClaimsSet();
        assertThat(claims.getSubject()).isEqualTo("p-1");
        assertThat(claims.getIssuer()).isEqualTo(Tokens.ISSUER);
        assertThat(claims.getAudience()).containsExactly(Tokens.AUDIENCE);
        assertThat(claims.getStringListClaim("groups")).containsExactly("participant");
        assertThat(claims.getStringListClaim("teams")).containsExactly("icu", "er");
    }

    @Test
    void token_expired_isOver() throws ParseException {
        JWTClaimsSet claims = SignedJWT.parse(Tokens.of("p-1").expired()).getJWTClaimsSet();
        assertThat(claims.getExpirationTime()).isBefore(Instant.now()).isAfter(claims.getIssueTime());
    }

    @Test
    void token_forged_isWhatItClaims() throws Exception {
        assertThat(SignedJWT.parse(Tokens.of("p-1").signedByStranger()).verify(verifier()))
                .isFalse();
        assertThat(algorithm(Tokens.of("p-1").unsigned())).isEqualTo("none");
        assertThat(algorithm(Tokens.of("p-1").signedWithPublicKey())).isEqualTo("HS256");
    }

    @Test
    void draft_withoutClaim_leavesItOut() throws ParseException {
        SignedJWT token = SignedJWT.parse(Tokens.of("p-1").without("sub").signed());
        assertThat(token.getJWTClaimsSet().getSubject()).isNull();
    }

    private static String algorithm(String token) throws ParseException {
        return JWTParser.parse(token).getHeader().getAlgorithm().getName();
    }

    private static JWSVerifier verifier() throws GeneralSecurityException, JOSEException {
        String pem = Tokens.env().getOrDefault("MP_JWT_VERIFY_PUBLICKEY", "");
        byte[] key = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        return new RSASSAVerifier(
                (RSAPublicKey) KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(key)));
    }
}
