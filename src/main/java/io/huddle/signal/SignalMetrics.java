package io.huddle.signal;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Locale;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/** Counts signals by kind and outcome. Safe for use by any thread. */
@ApplicationScoped
public class SignalMetrics {
    private static final Metadata SIGNALS = Metadata.builder()
            .withName("huddle_signals")
            .withDescription("Signals between members of a room, by what they are for and what became of them.")
            .build();

    /** What became of a signal. */
    enum Outcome {
        DELIVERED,
        NOT_CONNECTED,
        UNACKNOWLEDGED,
        REFUSED
    }

    @Inject
    private MetricRegistry registry;

    void signal(SignalKind kind, Outcome outcome) {
        registry.counter(
                        SIGNALS,
                        new Tag("kind", kind.wire()),
                        new Tag(
                                "outcome",
                                outcome.name().toLowerCase(Locale.ROOT).replace('_', '-')))
                .inc();
    }
}
