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

import io.huddle.event.EventType;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The session's state table. A pair that is not in it does not happen. Pure.
 *
 * <p>Source: the session state machine of the page on rooms and presence, row by row.
 */
final class SessionLifecycle {
    /** What becomes of the lease. */
    enum Lease {
        /** Now and the lease's length. */
        FRESH,
        /** The later of what it was and now and the lease's length. */
        LATER,
        /** Now and the length for suspended sessions. */
        SUSPENDED,
        UNCHANGED,
        /** It ends now; one that has run out keeps the instant at which it did. */
        ENDED
    }

    /** @param event what is told, null where the transition is silent */
    record Rule(SessionState next, @Nullable EventType event, Lease lease) {}

    private static final Map<SessionState, Map<Trigger, Rule>> TABLE = new EnumMap<>(SessionState.class);

    static {
        on(ABSENT, Trigger.JOIN, PRESENT, PARTICIPANT_JOINED, Lease.FRESH);
        on(PRESENT, Trigger.RENEW, PRESENT, null, Lease.LATER);
        on(SUSPECT, Trigger.RENEW, PRESENT, PARTICIPANT_RECOVERED, Lease.LATER);
        on(SUSPENDED, Trigger.RENEW, PRESENT, PARTICIPANT_RECOVERED, Lease.FRESH);
        on(PRESENT, Trigger.SUSPEND, SUSPENDED, PARTICIPANT_SUSPENDED, Lease.SUSPENDED);
        on(SUSPECT, Trigger.SUSPEND, SUSPENDED, PARTICIPANT_SUSPENDED, Lease.SUSPENDED);
        on(SUSPENDED, Trigger.SUSPEND, SUSPENDED, null, Lease.SUSPENDED);
        on(PRESENT, Trigger.DOUBT, SUSPECT, PARTICIPANT_SUSPECTED, Lease.UNCHANGED);
        for (SessionState live : new SessionState[] {PRESENT, SUSPECT, SUSPENDED}) {
            on(live, Trigger.JOIN, PRESENT, PARTICIPANT_RECONNECTED, Lease.FRESH);
            on(live, Trigger.LEAVE, ABSENT, PARTICIPANT_LEFT, Lease.ENDED);
            on(live, Trigger.EXPIRE, ABSENT, PARTICIPANT_EXPIRED, Lease.ENDED);
            on(live, Trigger.ROOM_CLOSES, ABSENT, PARTICIPANT_REMOVED, Lease.ENDED);
            on(live, Trigger.REMOVE, ABSENT, PARTICIPANT_REMOVED, Lease.ENDED);
        }
    }

    private SessionLifecycle() {}

    /** The rule of a pair, or null where the pair changes nothing. */
    static @Nullable Rule rule(SessionState from, Trigger trigger) {
        Map<Trigger, Rule> row = TABLE.get(from);
        return row == null ? null : row.get(trigger);
    }

    private static void on(
            SessionState from, Trigger trigger, SessionState next, @Nullable EventType event, Lease lease) {
        TABLE.computeIfAbsent(from, state -> new EnumMap<>(Trigger.class)).put(trigger, new Rule(next, event, lease));
    }
}
