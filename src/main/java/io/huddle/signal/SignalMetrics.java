package io.huddle.signal;

import io.huddle.store.DatabaseReady;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.util.Locale;
import org.eclipse.microprofile.metrics.Counter;
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

    /** What has not happened yet is counted as zero. */
    void start(@Observes DatabaseReady ready) {
        for (SignalKind kind : SignalKind.values()) {
            for (Outcome outcome : Outcome.values()) {
                counter(kind, outcome);
            }
        }
    }

    void signal(SignalKind kind, Outcome outcome) {
        counter(kind, outcome).inc();
    }

    private Counter counter(SignalKind kind, Outcome outcome) {
        return registry.counter(
                SIGNALS,
                new Tag("kind", kind.wire()),
                new Tag("outcome", outcome.name().toLowerCase(Locale.ROOT).replace('_', '-')));
    }
}
