package io.huddle.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.huddle.security.Identity;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What an application's authorizers may do with a handshake that has proved who it is. */
class HandshakesTest {
    private static final HandshakeQuery.Limits LIMITS = new HandshakeQuery.Limits(1_024, 100, false);

    private final Handshake proven = new Handshake(
            new Identity.Client("c-badge", Set.of(), Set.of("ward-7")),
            "c-badge",
            "st-1",
            4,
            "1.0",
            true,
            Set.of("cap"),
            Map.of("floor", "3"));

    private Handshake ask(Authorizer... authorizers) {
        return Handshakes.authorized(List.of(authorizers), LIMITS, proven);
    }

    @Test
    void authorizers_none_leaveItAsItIs() {
        assertThat(ask()).isEqualTo(proven);
    }

    @Test
    void authorizers_that_accept_addTheirMetadata() {
        Handshake authorized = ask(
                handshake -> Map.of(),
                handshake -> Map.of("owner", handshake.clientId()),
                handshake -> Map.of("floor", "4"));

        assertThat(authorized.metadata()).containsExactlyInAnyOrderEntriesOf(Map.of("floor", "4", "owner", "c-badge"));
        assertThat(authorized.identity()).isEqualTo(proven.identity());
        assertThat(authorized.supersede()).isTrue();
    }

    @Test
    void authorizer_that_refuses_givesItsStatusAndNoReason() {
        assertThatExceptionOfType(Refused.class)
                .isThrownBy(() -> ask(handshake -> {
                    throw new Refused(Refusal.FORBIDDEN, "the badge was reported lost");
                }))
                .satisfies(refused -> {
                    assertThat(refused.refusal()).isEqualTo(Refusal.FORBIDDEN);
                    assertThat(refused.detail()).doesNotContain("lost");
                });
    }

    @Test
    void authorizer_that_addsTooMuch_isRefused() {
        assertThatExceptionOfType(Refused.class)
                .isThrownBy(() -> ask(handshake -> Map.of("long", "x".repeat(100))))
                .satisfies(refused -> assertThat(refused.refusal()).isEqualTo(Refusal.INVALID_REQUEST));
    }
}
