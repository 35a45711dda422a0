package io.huddle.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.setting.Configured;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookTest {
    private static final String URL = "huddle.alerts.webhook.url";
    private static final String SECRET = "huddle.alerts.webhook.secret";
    private static final String GOOD = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    /** The example of the Standard Webhooks specification. */
    @Test
    void signature_ofTheSpecificationsExample_isItsOwn() {
        SecretKeySpec key = new SecretKeySpec(
                Base64.getDecoder().decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), WebhookSignature.ALGORITHM);
        Map<String, String> headers =
                WebhookSignature.headers(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        assertThat(headers)
                .containsEntry("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
                .containsEntry("webhook-timestamp", "1614265330")
                .containsEntry("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @Test
    void address_withItsSecret_isTaken() {
        Configured.with(Map.of(URL, "https://hooks.example:8443/a?b=c", SECRET, GOOD), () -> {
            WebhookAddress.check();
            WebhookAddress address = java.util.Objects.requireNonNull(WebhookAddress.configured());
            assertThat(address.url()).hasHost("hooks.example").hasPort(8443);
            assertThat(address.key().getEncoded()).hasSize(24);
        });
        Configured.with(Map.of(), () -> assertThat(WebhookAddress.configured()).isNull());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://hooks.example/",
                "ftp://hooks.example/",
                "//hooks.example/",
                "hooks.example",
                "https://",
                "https:///path",
                "https://user:word@hooks.example/",
                "https://hooks.example/#part",
                "https://hooks.example:0/",
                "https://hooks.example:65536/",
                "https://hooks.example./",
                "https://höoks.example/",
                "https://hooks.example/ü",
                "https://hooks example/"
            })
    void address_thatIsNoPlainHttps_stopsTheStart_unquoted(String url) {
        Configured.with(
                Map.of(URL, url, SECRET, GOOD),
                () -> assertThatThrownBy(WebhookAddress::check)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(URL)
                        .hasMessageNotContaining(url)
                        .hasNoCause());
    }

    @ParameterizedTest
    @ValueSource(strings = {"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_AAAA", "whsec_%%%", "whsec_\u00e4"})
    void secret_ofAnotherForm_stopsTheStart_unquoted(String secret) {
        Configured.with(
                Map.of(URL, "https://hooks.example/", SECRET, secret),
                () -> assertThatThrownBy(WebhookAddress::check)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(SECRET)
                        .hasMessageNotContaining(secret.equals("whsec_") ? "nothing" : secret)
                        .hasNoCause());
    }

    @Test
    void secret_missingOrAlone_stopsTheStart() {
        Configured.with(
                Map.of(URL, "https://hooks.example/"),
                () -> assertThatThrownBy(WebhookAddress::check).hasMessageContaining(SECRET));
        Configured.with(
                Map.of(SECRET, GOOD),
                () -> assertThatThrownBy(WebhookAddress::check).hasMessageContaining(URL));
    }

    @ParameterizedTest
    @CsvSource({
        "200, 1, DELIVERED", "204, 10, DELIVERED", "299, 1, DELIVERED", "0, 1, RETRIED", "301, 1, RETRIED",
        "307, 9, RETRIED", "400, 1, RETRIED", "429, 1, RETRIED", "500, 9, RETRIED", "410, 1, GIVEN_UP",
        "0, 10, GIVEN_UP", "500, 10, GIVEN_UP"
    })
    void answer_decidesWhatBecomesOfTheMessage(int status, int tries, Settlement settlement) {
        assertThat(Settlement.of(status, tries, 10)).isEqualTo(settlement);
    }

    @Test
    void pauses_doubleUpToAQuarterOfAnHour() {
        assertThat(Settlement.pause(1)).isEqualTo(Duration.ofSeconds(5));
        assertThat(Settlement.pause(2)).isEqualTo(Duration.ofSeconds(10));
        assertThat(Settlement.pause(7)).isEqualTo(Duration.ofSeconds(320));
        assertThat(Settlement.pause(9)).isEqualTo(Duration.ofMinutes(15));
        assertThat(Settlement.pause(20)).isEqualTo(Duration.ofMinutes(15));
    }
}
