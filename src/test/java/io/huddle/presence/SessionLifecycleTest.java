package io.huddle.presence;

import static io.huddle.event.EventType.PARTICIPANT_EXPIRED;
import static io.huddle.event.EventType.PARTICIPANT_JOINED;
import static io.huddle.event.EventType.PARTICIPANT_LEFT;
import static io.huddle.event.EventType.PARTICIPANT_RECONNECTED;
import static io.huddle.event.EventType.PARTICIPANT_RECOVERED;
import static io.huddle.event.EventType.PARTICIPANT_REMOVED;
import static io.huddle.event.EventType.PARTICIPANT_SUSPECTED;
import static io.huddle.event.EventType.PARTICIPANT_SUSPENDED;
import static io.huddle.presence.SessionState.ABSENT;
import static io.huddle.presence.SessionState.PRESENT;
import static io.huddle.presence.SessionState.SUSPECT;
import static io.huddle.presence.SessionState.SUSPENDED;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.event.EventType;
import io.huddle.presence.SessionLifecycle.Lease;
import io.huddle.presence.SessionLifecycle.Rule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The table of the page on rooms and presence, row by row, and nothing beside it. */
class SessionLifecycleTest {
    private record Row(
            SessionState from,
            Trigger trigger,
            SessionState to,
            @Nullable EventType event,
            Lease lease) {}

    private static final List<Row> PAGE = List.of(
            // absent | join accepted
            new Row(ABSENT, Trigger.JOIN, PRESENT, PARTICIPANT_JOINED, Lease.FRESH),
            // present, suspect, suspended | join accepted (reconnect)
            new Row(PRESENT, Trigger.JOIN, PRESENT, PARTICIPANT_RECONNECTED, Lease.FRESH),
            new Row(SUSPECT, Trigger.JOIN, PRESENT, PARTICIPANT_RECONNECTED, Lease.FRESH),
            new Row(SUSPENDED, Trigger.JOIN, PRESENT, PARTICIPANT_RECONNECTED, Lease.FRESH),
            // present | stream closed, node died, no proof of life, media failed
            new Row(PRESENT, Trigger.DOUBT, SUSPECT, PARTICIPANT_SUSPECTED, Lease.UNCHANGED),
            // present | renewal
            new Row(PRESENT, Trigger.RENEW, PRESENT, null, Lease.LATER),
            // suspect | renewal
            new Row(SUSPECT, Trigger.RENEW, PRESENT, PARTICIPANT_RECOVERED, Lease.LATER),
            // present, suspect | suspend
            new Row(PRESENT, Trigger.SUSPEND, SUSPENDED, PARTICIPANT_SUSPENDED, Lease.SUSPENDED),
            new Row(SUSPECT, Trigger.SUSPEND, SUSPENDED, PARTICIPANT_SUSPENDED, Lease.SUSPENDED),
            // suspended | suspend again
            new Row(SUSPENDED, Trigger.SUSPEND, SUSPENDED, null, Lease.SUSPENDED),
            // suspended | renewal
            new Row(SUSPENDED, Trigger.RENEW, PRESENT, PARTICIPANT_RECOVERED, Lease.FRESH),
            // present, suspect, suspended | leave
            new Row(PRESENT, Trigger.LEAVE, ABSENT, PARTICIPANT_LEFT, Lease.ENDED),
            new Row(SUSPECT, Trigger.LEAVE, ABSENT, PARTICIPANT_LEFT, Lease.ENDED),
            new Row(SUSPENDED, Trigger.LEAVE, ABSENT, PARTICIPANT_LEFT, Lease.ENDED),
            // present, suspect, suspended | lease runs out
            new Row(PRESENT, Trigger.EXPIRE, ABSENT, PARTICIPANT_EXPIRED, Lease.ENDED),
            new Row(SUSPECT, Trigger.EXPIRE, ABSENT, PARTICIPANT_EXPIRED, Lease.ENDED),
            new Row(SUSPENDED, Trigger.EXPIRE, ABSENT, PARTICIPANT_EXPIRED, Lease.ENDED),
            // present, suspect, suspended | room closes
            new Row(PRESENT, Trigger.ROOM_CLOSES, ABSENT, PARTICIPANT_REMOVED, Lease.ENDED),
            new Row(SUSPECT, Trigger.ROOM_CLOSES, ABSENT, PARTICIPANT_REMOVED, Lease.ENDED),
            new Row(SUSPENDED, Trigger.ROOM_CLOSES, ABSENT, PARTICIPANT_REMOVED, Lease.ENDED),
            // present, suspect, suspended | an operator removes exactly this generation
            new Row(PRESENT, Trigger.REMOVE, ABSENT, PARTICIPANT_REMOVED, Lease.ENDED),
            new Row(SUSPECT, Trigger.REMOVE, ABSENT, PARTICIPANT_REMOVED, Lease.ENDED),
            new Row(SUSPENDED, Trigger.REMOVE, ABSENT, PARTICIPANT_REMOVED, Lease.ENDED));

    @Test
    void everyPair_fullMatrix_isTheRowOfThePageOrNothing() {
        List<Row> found = new ArrayList<>();
        for (SessionState from : SessionState.values()) {
            for (Trigger trigger : Trigger.values()) {
                Rule rule = SessionLifecycle.rule(from, trigger);
                if (rule != null) {
                    found.add(new Row(from, trigger, rule.next(), rule.event(), rule.lease()));
                }
            }
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(PAGE);
    }

    @Test
    void everyChangeOfState_told_hasAnEvent() {
        assertThat(PAGE)
                .allSatisfy(row -> assertThat(row.event() == null)
                        .as("%s", row)
                        .isEqualTo(row.from() == row.to() && row.trigger() != Trigger.JOIN));
    }

    @Test
    void absent_anythingButJoin_changesNothing() {
        for (Trigger trigger : Trigger.values()) {
            assertThat(SessionLifecycle.rule(ABSENT, trigger) != null).isEqualTo(trigger == Trigger.JOIN);
        }
    }
}
