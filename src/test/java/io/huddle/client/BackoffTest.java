package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.client.HuddleFailure.Reason;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    void delay_growsWithEachFailureUpToItsBound_andIsSpreadOverAHalf() {
        long[] most = {500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000};
        for (int failures = 0; failures < most.length; failures++) {
            assertThat(Backoff.delay(Timing.PROTOCOL, failures, 0)).isEqualTo(Duration.ofMillis(most[failures] / 2));
            assertThat(Backoff.delay(Timing.PROTOCOL, failures, 1)).isEqualTo(Duration.ofMillis(most[failures]));
        }
        assertThat(Backoff.delay(Timing.PROTOCOL, Integer.MAX_VALUE, 1)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void told_ofADrainingNode_isItsMillisecondsWithinBounds() {
        assertThat(told(Reason.DRAINING, "1500")).hasValue(1_500);
        assertThat(told(Reason.DRAINING, "0")).hasValue(0);
        assertThat(told(Reason.DRAINING, "999999999")).hasValue(300_000);
        assertThat(told(Reason.DRAINING, "")).isEmpty();
        assertThat(told(Reason.DRAINING, "soon")).isEmpty();
    }

    /** Doubling waits kept clients of a dead node away for half a minute after the others could have taken them. */
    @Test
    void told_whereThereIsNoRoomYet_isWhatTheReasonSays() {
        assertThat(told(Reason.NO_CAPACITY, "not proven to have ended; try again after 2500 ms"))
                .hasValue(2_500);
        assertThat(told(Reason.NO_CAPACITY, "more than 64 requests")).isEmpty();
        assertThat(told(Reason.TIMEOUT, "after 2500 ms")).isEmpty();
    }

    private static OptionalLong told(Reason reason, String detail) {
        return Backoff.told(new HuddleFailure(reason, 0, detail, null));
    }
}
