package io.huddle.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.huddle.event.RoomEvent;
import io.huddle.web.IdempotencyKey;
import io.huddle.web.Ids;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RoomTest {
    private static final Instant NOW = Instant.parse("2026-11-30T09:00:00Z");

    @Test
    void open_creation_isAnOpenRoomWithItsFirstEvent() {
        Room room = room();
        RoomEvent opened = room.opened();
        assertThat(Ids.isOf('r', room.id())).isTrue();
        assertThat(room.state()).isEqualTo(RoomState.OPEN);
        assertThat(room.policy()).isEqualTo(new Policy(5, 15, 120, 50));
        assertEvent(opened, room, 1, "room.opened", null, "open", null, NOW);
        assertThat(room.json().closingAt()).isNull();
    }

    @Test
    void close_inTwoSteps_tellsBothAndNumbersThemWithoutGap() {
        Room room = room();
        room.opened();
        RoomEvent closing = room.beginClosing("idle", NOW.plusSeconds(1));
        assertEvent(closing, room, 2, "room.closing", "open", "closing", "idle", NOW.plusSeconds(1));
        assertThat(room.state()).isEqualTo(RoomState.CLOSING);
        assertThat(room.nextSeq()).isEqualTo(3);
        RoomEvent closed = room.finishClosing(NOW.plusSeconds(2));
        assertEvent(closed, room, 4, "room.closed", "closing", "closed", "idle", NOW.plusSeconds(2));
        assertThat(room.seq()).isEqualTo(4);
        assertThat(room.json().closingAt()).isEqualTo(NOW.plusSeconds(1));
        assertThat(room.json().closedAt()).isEqualTo(NOW.plusSeconds(2));
        assertThat(room.json().state()).isEqualTo("closed");
    }

    @Test
    void steps_outOfOrder_changeNothing() {
        Room open = room();
        assertThatIllegalStateException()
                .isThrownBy(() -> open.finishClosing(NOW))
                .withMessageContaining(open.id());
        Room closing = room();
        closing.beginClosing(null, NOW);
        assertThatIllegalStateException().isThrownBy(() -> closing.beginClosing("idle", NOW.plusSeconds(9)));
        assertThat(closing.closeReason()).isNull();
        assertThat(closing.json().closingAt()).isEqualTo(NOW);
        closing.finishClosing(NOW);
        assertThatIllegalStateException().isThrownBy(() -> closing.finishClosing(NOW.plusSeconds(9)));
        assertThatIllegalStateException().isThrownBy(() -> closing.beginClosing(null, NOW.plusSeconds(9)));
        assertThat(closing.seq()).isEqualTo(2);
        assertThat(closing.json().closedAt()).isEqualTo(NOW);
    }

    private static void assertEvent(
            RoomEvent event,
            Room room,
            long seq,
            String type,
            @Nullable String prior,
            String next,
            @Nullable String reason,
            Instant at) {
        assertThat(Ids.isOf('e', event.id())).isTrue();
        assertThat(event)
                .isEqualTo(new RoomEvent(
                        event.id(), room.id(), seq, type, null, null, null, prior, next, reason, at, null));
    }

    private static Room room() {
        return Room.open(
                new Creation(
                        "icu",
                        "o",
                        null,
                        true,
                        false,
                        new Policy(5, 15, 120, 50),
                        "p-1",
                        new IdempotencyKey("k"),
                        "1:x"),
                NOW);
    }
}
