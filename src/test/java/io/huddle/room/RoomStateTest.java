package io.huddle.room;

import static io.huddle.room.RoomState.CLOSED;
import static io.huddle.room.RoomState.CLOSING;
import static io.huddle.room.RoomState.OPEN;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoomStateTest {
    @Test
    void mayBecome_fullMatrix_isTwoStepsForward() {
        List<String> steps = new ArrayList<>();
        for (RoomState from : RoomState.values()) {
            for (RoomState to : RoomState.values()) {
                if (from.mayBecome(to)) {
                    steps.add(from + " " + to);
                }
            }
        }
        assertThat(steps).containsExactly(OPEN + " " + CLOSING, CLOSING + " " + CLOSED);
    }

    @Test
    void wire_andBack_isTheSame() {
        for (RoomState state : RoomState.values()) {
            assertThat(RoomState.of(state.wire())).isEqualTo(state);
        }
        assertThat(OPEN.wire()).isEqualTo("open");
    }
}
