package io.huddle.presence;

import io.huddle.event.EventType;
import io.huddle.web.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the rules decided: the seat afterwards, what is told of it, and whether the command was refused.
 *
 * <p>A refusal may come with a transition: a renewal of a lease that has run out writes the expiry and is refused.
 */
record Verdict(
        Seat seat, List<Transition> transitions, @Nullable Refusal refusal) {
    /**
     * One event to write.
     *
     * @param shadow whether it was computed and is not applied: the seat stays what it was
     */
    record Transition(
            EventType type,
            SessionState prior,
            SessionState next,
            long generation,
            @Nullable String reason,
            boolean shadow) {
        Transition(EventType type, SessionState prior, SessionState next, long generation, @Nullable String reason) {
            this(type, prior, next, generation, reason, false);
        }
    }

    static Verdict refused(Seat seat, Refusal refusal) {
        return new Verdict(seat, List.of(), refusal);
    }

    /** Accepted without any effect. */
    static Verdict unchanged(Seat seat) {
        return new Verdict(seat, List.of(), null);
    }
}
