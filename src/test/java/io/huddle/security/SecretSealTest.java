package io.huddle.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.huddle.setting.Configured;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SecretSealTest {
    private static final String MASTER = "a master secret of thirty-two characters or more";

    private final SecretSeal seal = new SecretSeal(MASTER);

    @Test
    void sealed_byAnotherImplementation_isOpened() {
        assertThat(seal.open("c-badge-7", "AQABAgMEBQYHCAkKC6spz7iYAy6N/Eerqakw8kIxPiaTvzDdWpOP2ceVpN8/jX3IgG0="))
                .isEqualTo("the secret of a badge");
    }

    @Test
    void sealed_thenOpened_isTheSecret() {
        String secret = Proofs.random();
        String sealed = seal.seal("c-1", secret);

        assertThat(seal.open("c-1", sealed)).isEqualTo(secret);
        assertThat(seal.seal("c-1", secret)).as("a nonce of its own").isNotEqualTo(sealed);
        assertThat(sealed).doesNotContain(secret).hasSizeLessThan(400);
    }

    @Test
    void sealed_forAnotherClientOrUnderAnotherKey_isNotOpened() {
        String sealed = seal.seal("c-1", "hush");

        assertThat(seal.open("c-2", sealed)).isNull();
        assertThat(new SecretSeal(MASTER + "!").open("c-1", sealed)).isNull();
    }

    @Test
    void sealed_withAnyByteChanged_isNotOpened() {
        byte[] sealed = Base64.getDecoder().decode(seal.seal("c-1", "hush"));
        for (int i = 0; i < sealed.length; i++) {
            byte[] changed = sealed.clone();
            changed[i] ^= 1;
            assertThat(seal.open("c-1", Base64.getEncoder().encodeToString(changed)))
                    .as("byte %d", i)
                    .isNull();
        }
        for (String text : new String[] {"", "AQ==", "no base64!"}) {
            assertThat(seal.open("c-1", text)).isNull();
        }
    }

    @Test
    void setting_tooShort_stopsTheStartAndIsNotQuoted() {
        Configured.with(
                Map.of(SecretSeal.SETTING, "x".repeat(31)),
                () -> assertThatIllegalStateException()
                        .isThrownBy(SecretSeal::check)
                        .withMessageContaining(SecretSeal.SETTING)
                        .withMessageContaining("32")
                        .withMessageNotContaining("xxx"));
        Configured.with(
                Map.of(SecretSeal.SETTING, "x".repeat(32)),
                () -> assertThatCode(SecretSeal::check).doesNotThrowAnyException());
        Configured.with(Map.of(), () -> {
            assertThatCode(SecretSeal::check).doesNotThrowAnyException();
            assertThat(SecretSeal.configured()).isNull();
        });
    }

    @Test
    void proofs_random_have256BitsAndDiffer() {
        assertThat(Base64.getUrlDecoder().decode(Proofs.random())).hasSize(32);
        assertThat(Proofs.random()).isNotEqualTo(Proofs.random()).matches("[A-Za-z0-9_-]{43}");
        assertThat(Proofs.hash("abc")).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
