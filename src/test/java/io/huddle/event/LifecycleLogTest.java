package io.huddle.event;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LifecycleLogTest {
    private static final Instant AT = Instant.parse("2026-11-30T12:00:00.123456Z");

    @Test
    void line_ofASession_holdsIdsStatesAndTimesAndNothingElse() {
        JsonObject line = LifecycleLog.line(event("s-1", "participant.suspected", "heartbeat-missed", null), "trace-1");
        assertThat(line)
                .isEqualTo(Json.createObjectBuilder()
                        .add("log", "lifecycle")
                        .add("type", "participant.suspected")
                        .add("event", "e-1")
                        .add("room", "r-1")
                        .add("seq", 7)
                        .add("at", "2026-11-30T12:00:00.123Z")
                        .add("next", "suspect")
                        .add("session", "s-1")
                        .add("prior", "present")
                        .add("reason", "heartbeat-missed")
                        .add("trace", "trace-1")
                        .add("generation", 3)
                        .build());
    }

    @Test
    void line_ofWhatWasNotApplied_saysSo() {
        JsonObject line = LifecycleLog.line(event("s-1", "participant.expired", null, true), null);
        assertThat(line.getBoolean("shadow")).isTrue();
        assertThat(line).doesNotContainKeys("reason", "trace", "participant");
    }

    /** A client that does not hear that it was overtaken goes on with its heartbeat: five lines a minute for a day. */
    @Test
    void staleCommand_repeated_hasOneLineUntilTheSessionIsJoinedAgain() {
        LifecycleLog log = new LifecycleLog();
        assertThat(log.isNew("renew", "s-1", 2)).isTrue();
        for (int i = 0; i < 1_000; i++) {
            assertThat(log.isNew("renew", "s-1", 2)).isFalse();
        }
        assertThat(log.isNew("leave", "s-1", 2)).isTrue();
        assertThat(log.isNew("renew", "s-2", 2)).isTrue();
        assertThat(log.isNew("renew", "s-1", 3)).isTrue();
    }

    @Test
    void staleCommand_ofVeryManySessions_isForgottenInTheEnd() {
        LifecycleLog log = new LifecycleLog();
        for (int i = 0; i < 10_001; i++) {
            assertThat(log.isNew("renew", "s-" + i, 2)).isTrue();
        }
        assertThat(log.isNew("renew", "s-0", 2)).isTrue();
        assertThat(log.isNew("renew", "s-10000", 2)).isFalse();
    }

    @Test
    void staleLine_namesTheCurrentGenerationAndNoEvent() {
        assertThat(LifecycleLog.stale("renew", "r-1", "s-1", 4, AT, null))
                .isEqualTo(Json.createObjectBuilder()
                        .add("log", "lifecycle")
                        .add("type", "stale-generation")
                        .add("command", "renew")
                        .add("room", "r-1")
                        .add("session", "s-1")
                        .add("generation", 4)
                        .add("at", "2026-11-30T12:00:00.123Z")
                        .build());
    }

    private static RoomEvent event(
            String session,
            String type,
            @org.jspecify.annotations.Nullable String reason,
            @org.jspecify.annotations.Nullable Boolean shadow) {
        return new RoomEvent("e-1", "r-1", 7, type, session, "pseudonym", 3L, "present", "suspect", reason, AT, shadow);
    }
}
