package io.huddle.presence;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TermsTest {
    @Test
    void lease_ofAState_isTheLongOneOnlyWhileSuspended() {
        assertThat(Seats.TERMS.of(SessionState.SUSPENDED)).isEqualTo(Duration.ofMinutes(2));
        assertThat(Seats.TERMS.of(SessionState.PRESENT)).isEqualTo(Duration.ofSeconds(15));
        assertThat(Seats.TERMS.of(SessionState.SUSPECT)).isEqualTo(Duration.ofSeconds(15));
    }

    @Test
    void words_onTheWireAndBack_areTheSame() {
        for (SessionState state : SessionState.values()) {
            assertThat(SessionState.of(state.wire())).isEqualTo(state);
        }
        for (Ending ending : Ending.values()) {
            assertThat(Ending.of(ending.wire())).isEqualTo(ending);
        }
        for (MediaState state : MediaState.values()) {
            assertThat(MediaState.of(state.wire())).contains(state);
        }
        assertThat(Ending.ROOM_CLOSED.wire()).isEqualTo("room-closed");
        assertThat(MediaState.of("FAILED")).isEmpty();
    }
}
