package io.huddle.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.huddle.setting.Configured;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IceServersTest {
    private static final String SESSION = "s-9m3x7c1w5b8n2v4z6q0d8f2h4j";
    private static final Instant NOW = Instant.ofEpochSecond(1_767_225_600);

    @Test
    void servers_byDefault_areNone() {
        Configured.with(Map.of(), () -> {
            IceServers.check();
            assertThat(new IceServers().of(SESSION, NOW)).isEmpty();
        });
    }

    @Test
    void servers_configured_areListedWithACredentialForTurn() {
        Map<String, String> settings = Map.of(
                "huddle.ice.stun-urls", "stun:stun.example:3478",
                "huddle.ice.turn-urls", "turn:turn.example:3478?transport=udp, turns:turn.example:5349",
                "huddle.ice.turn-secret", "north");
        Configured.with(settings, () -> {
            IceServers.check();
            assertThat(new IceServers().of(SESSION, NOW))
                    .containsExactly(
                            new IceServers.IceServer(List.of("stun:stun.example:3478"), null, null),
                            new IceServers.IceServer(
                                    List.of("turn:turn.example:3478?transport=udp", "turns:turn.example:5349"),
                                    "1767268800:" + SESSION,
                                    "/Wg5GkbAaSYegJ0ojowHxyjNpY4="));
        });
    }

    @Test
    void lifetime_configured_endsTheCredential() {
        Map<String, String> settings = Map.of(
                "huddle.ice.turn-urls", "turn:turn.example",
                "huddle.ice.turn-secret", "north",
                "huddle.ice.turn-ttl-seconds", "600");
        Configured.with(
                settings,
                () -> assertThat(new IceServers().of(SESSION, NOW))
                        .extracting(IceServers.IceServer::username)
                        .containsExactly("1767226200:" + SESSION));
    }

    @Test
    void turn_withoutItsSecret_stopsTheStart() {
        Configured.with(
                Map.of("huddle.ice.turn-urls", "turn:turn.example"),
                () -> assertThatIllegalStateException()
                        .isThrownBy(IceServers::check)
                        .withMessageContaining("huddle.ice.turn-secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"turn.example", "https://turn.example", "stun:", "turn:turn.example", "stun:a b"})
    void address_thatIsNone_stopsTheStart(String url) {
        Configured.with(
                Map.of("huddle.ice.stun-urls", url),
                () -> assertThatIllegalStateException()
                        .isThrownBy(IceServers::check)
                        .withMessageContaining("huddle.ice.stun-urls"));
    }
}
