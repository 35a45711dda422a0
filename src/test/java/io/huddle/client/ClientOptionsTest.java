package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientOptionsTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "pv", "_v", "cid", "ticket", "signature", "supersede", "m--site"})
    void metadata_namedLikeAParameterOfTheHandshake_isRefused(String name) {
        assertThatThrownBy(() -> ClientOptions.defaults().metadata(name, "x"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void metadata_tooMuchOfIt_isRefusedAndTheRestStays() {
        ClientOptions options = ClientOptions.defaults().metadata("site", "x".repeat(40_000));
        assertThatThrownBy(() -> options.metadata("more", "x".repeat(30_000)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(options.profile().metadata()).containsOnlyKeys("site");
    }

    @Test
    void secrets_asText_areNotShown() {
        ClientKey key = new ClientKey("c-1", "s3cret");
        Ticket ticket = new Ticket(URI.create("wss://huddle.example/stream"), "s3cret");
        assertThat(key + " " + ticket + " " + new Credentials.Signed(ticket.url(), key))
                .doesNotContain("s3cret");
    }
}
