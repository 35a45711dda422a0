package io.huddle.event;

import io.huddle.store.DatabaseReady;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.metrics.Counter;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/** Counts transitions, accepted and rejected, and how long events take to a subscriber. Labels are closed sets. */
@ApplicationScoped
public class EventMetrics {
    private static final Metadata TRANSITIONS = Metadata.builder()
            .withName("huddle_transitions")
            .withDescription(
                    "Transitions of rooms and sessions: told events are accepted, refused commands are rejected."
                            + " Counted by the node that decided, without synthetic rooms.")
            .build();
    private static final String ACCEPTED = "accepted";
    private static final String REJECTED = "rejected";
    private static final Metadata DELIVERY = Metadata.builder()
            .withName("huddle_event_delivery")
            .withDescription("From the commit of an event to its writing to a subscriber's socket.")
            .build();

    private static final String NONE = "none";
    private static final List<String> CLOSE_REASONS = List.of(NONE, "operator", "idle");

    @Inject
    private MetricRegistry registry;

    /** What has not happened yet is counted as zero, so that the first one is seen as an increase. */
    void start(@Observes DatabaseReady ready) {
        registry.timer(DELIVERY);
        declare(EventType.ROOM_OPENED, NONE);
        for (String reason : CLOSE_REASONS) {
            declare(EventType.ROOM_CLOSING, reason);
            declare(EventType.ROOM_CLOSED, reason);
        }
    }

    /** Counts a kind of accepted transition from zero. */
    public void declare(EventType type, String reason) {
        transitions(type.wire(), ACCEPTED, reason);
    }

    /** Counts a kind of rejected transition from zero. */
    public void declareRejected(String command, String reason) {
        transitions(command, REJECTED, reason);
    }

    void accepted(@Observes(during = TransactionPhase.AFTER_SUCCESS) Appended appended) {
        RoomEvent event = appended.event();
        // What was computed and not applied is no transition.
        boolean applied = !Boolean.TRUE.equals(event.shadow());
        if (applied && !appended.synthetic()) {
            String reason = event.reason();
            transitions(event.type(), ACCEPTED, reason == null ? NONE : reason).inc();
        }
    }

    /**
     * A command was carried out that is worth a line of its own.
     *
     * @param command from the closed set of commands
     * @param reason from the closed set of refusals: what would have been its answer
     */
    public void accepted(String command, String reason) {
        transitions(command, ACCEPTED, reason).inc();
    }

    /**
     * @param command what was refused, from the closed set of commands
     *
     * @param reason the refusal's slug
     */
    public void rejected(String command, String reason) {
        transitions(command, REJECTED, reason).inc();
    }

    /** @param delay by the clocks of this machine and the database, so never shown below zero */
    public void delivered(Duration delay) {
        registry.timer(DELIVERY).update(delay.isNegative() ? Duration.ZERO : delay);
    }

    private Counter transitions(String transition, String outcome, String reason) {
        return registry.counter(
                TRANSITIONS, new Tag("transition", transition), new Tag("outcome", outcome), new Tag("reason", reason));
    }
}
