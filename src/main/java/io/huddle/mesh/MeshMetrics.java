package io.huddle.mesh;

import io.huddle.mesh.Takeover.Outcome;
import io.huddle.store.DatabaseReady;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.metrics.Counter;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.MetricUnits;
import org.eclipse.microprofile.metrics.Tag;
import org.eclipse.microprofile.metrics.Timer;

/** What this node counts of the mesh. Labels are closed sets, never an id. Safe for use by any thread. */
@ApplicationScoped
public class MeshMetrics {
    private static final Metadata CLAIMS =
            described("huddle_mesh_claims", "Client ids asked for by this node, by result.", MetricUnits.NONE);
    private static final Metadata INVOCATIONS = described(
            "huddle_mesh_invocations", "Calls to clients through this node, by route and result.", MetricUnits.NONE);
    private static final Metadata SECONDS = described(
            "huddle_mesh_invocation", "How long calls to clients took, by route and result.", MetricUnits.SECONDS);

    @Inject
    private MetricRegistry registry;

    private final Map<Outcome, Counter> claims = new EnumMap<>(Outcome.class);
    private final Map<Route, Map<Result, Counter>> invocations = new EnumMap<>(Route.class);
    private final Map<Route, Map<Result, Timer>> seconds = new EnumMap<>(Route.class);

    /** Where a call went. */
    enum Route {
        LOCAL,
        REMOTE,
        /** It never got so far. */
        NONE
    }

    /** How a call ended. */
    enum Result {
        OK,
        NOT_FOUND,
        DISCONNECTED,
        CLIENT_ERROR,
        OWNER_UNAVAILABLE,
        BACKPRESSURE,
        DEADLINE_EXCEEDED,
        INDETERMINATE,
        FAILED
    }

    @PostConstruct
    void make() {
        for (Outcome outcome : Outcome.values()) {
            claims.put(outcome, registry.counter(CLAIMS, new Tag("result", label(outcome))));
        }
        for (Route route : Route.values()) {
            Map<Result, Counter> counters = new EnumMap<>(Result.class);
            Map<Result, Timer> timers = new EnumMap<>(Result.class);
            for (Result result : Result.values()) {
                Tag[] tags = {new Tag("route", label(route)), new Tag("result", label(result))};
                counters.put(result, registry.counter(INVOCATIONS, tags));
                timers.put(result, registry.timer(SECONDS, tags));
            }
            invocations.put(route, counters);
            seconds.put(route, timers);
        }
    }

    /** A bean is made when it is first used, and these are to be there before. */
    void start(@Observes DatabaseReady ready) {}

    void claim(Outcome outcome) {
        Counter counter = claims.get(outcome);
        if (counter != null) {
            counter.inc();
        }
    }

    /** @param nanos how long it took */
    void invocation(Route route, Result result, long nanos) {
        Counter counter = invocations.getOrDefault(route, Map.of()).get(result);
        if (counter != null) {
            counter.inc();
        }
        Timer timer = seconds.getOrDefault(route, Map.of()).get(result);
        if (timer != null) {
            timer.update(Duration.ofNanos(nanos));
        }
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Metadata described(String name, String description, String unit) {
        return Metadata.builder()
                .withName(name)
                .withDescription(description)
                .withUnit(unit)
                .build();
    }
}
