package io.huddle.event;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import java.time.Duration;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;
import org.jspecify.annotations.Nullable;

/** Counts transitions, accepted and rejected, and how long events take to a subscriber. Labels are closed sets. */
@ApplicationScoped
public class EventMetrics {
    private static final Metadata TRANSITIONS = Metadata.builder()
            .withName("huddle_transitions")
            .withDescription(
                    "Transitions of rooms and sessions: told events are accepted, refused commands are rejected."
                            + " Counted by the node that decided.")
            .build();
    private static final Metadata DELIVERY = Metadata.builder()
            .withName("huddle_event_delivery")
            .withDescription("From the commit of an event to its writing to a subscriber's socket.")
            .build();

    @Inject
    private MetricRegistry registry;

    void accepted(@Observes(during = TransactionPhase.AFTER_SUCCESS) Appended appended) {
        RoomEvent event = appended.event();
        // What was computed and not applied is told apart from what has happened.
        count(event.type(), "accepted", Boolean.TRUE.equals(event.shadow()) ? "shadow" : event.reason());
    }

    /**
     * A command was carried out that is worth a line of its own.
     *
     * @param command from the closed set of commands
     * @param reason from the closed set of refusals: what would have been its answer
     */
    public void accepted(String command, String reason) {
        count(command, "accepted", reason);
    }

    /**
     * @param command what was refused, from the closed set of commands
     *
     * @param reason the refusal's slug
     */
    public void rejected(String command, String reason) {
        count(command, "rejected", reason);
    }

    /** @param delay by the clocks of this machine and the database, so never shown below zero */
    public void delivered(Duration delay) {
        registry.timer(DELIVERY).update(delay.isNegative() ? Duration.ZERO : delay);
    }

    private void count(String transition, String outcome, @Nullable String reason) {
        registry.counter(
                        TRANSITIONS,
                        new Tag("transition", transition),
                        new Tag("outcome", outcome),
                        new Tag("reason", reason == null ? "none" : reason))
                .inc();
    }
}
