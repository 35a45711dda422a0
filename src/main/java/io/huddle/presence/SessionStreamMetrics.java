package io.huddle.presence;

import io.huddle.presence.Standing.End;
import io.huddle.store.DatabaseReady;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/** Counts what sessions and their streams do to each other. Labels are closed sets. Safe for use by any thread. */
@ApplicationScoped
public class SessionStreamMetrics {
    private static final Metadata FENCED = described(
            "huddle_streams_fenced", "Participants' streams ended because their session ended or was joined again.");
    private static final Metadata DEPARTED = described(
            "huddle_streams_departed",
            "Participants' streams that ended without a word or with their node, and what became of the session.");
    private static final Metadata UNACKNOWLEDGED = described(
            "huddle_stream_events_unacknowledged", "Deliveries of events over a stream that were not acknowledged.");

    /** What became of a session whose stream had ended. */
    enum Departure {
        SUSPECTED,
        UNCHANGED,
        STALE,
        GIVEN_UP
    }

    @Inject
    private MetricRegistry registry;

    /** What has not happened yet is counted as zero. */
    void start(@Observes DatabaseReady ready) {
        registry.counter(UNACKNOWLEDGED);
        for (Departure what : Departure.values()) {
            departed(what, 0);
        }
    }

    /** @param foundBy {@code event} for a change of this node, {@code poll} for one of another */
    void fenced(End end, String foundBy) {
        registry.counter(FENCED, new Tag("reason", end.reason()), new Tag("found_by", foundBy))
                .inc();
    }

    void departed(Departure what) {
        departed(what, 1);
    }

    void departed(Departure what, int streams) {
        String outcome = what.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        registry.counter(DEPARTED, new Tag("outcome", outcome)).inc(streams);
    }

    void unacknowledged() {
        registry.counter(UNACKNOWLEDGED).inc();
    }

    private static Metadata described(String name, String description) {
        return Metadata.builder().withName(name).withDescription(description).build();
    }
}
