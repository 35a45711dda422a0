package io.huddle.link;

import io.huddle.store.DatabaseReady;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.microprofile.metrics.Counter;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.MetricUnits;
import org.eclipse.microprofile.metrics.Tag;

/** What the links of this node count. Labels are closed sets, never a node. Safe for use by any thread. */
@ApplicationScoped
public class LinkMetrics {
    private static final Map<String, String> DESCRIPTIONS = Map.of(
            "huddle_mesh_calls", "Calls to other nodes, by what became of them.",
            "huddle_mesh_served", "Calls of other nodes, by what became of them.",
            "huddle_mesh_bytes", "Bytes over the links between nodes.",
            "huddle_mesh_backpressure", "How often a bound of the links between nodes was hit, by bound.",
            "huddle_mesh_links_ended", "Links between nodes that ended, by cause.",
            "huddle_mesh_handshakes", "Handshakes of other nodes, by result.");

    @Inject
    private MetricRegistry registry;

    private final Map<Measured, Counter> counters = new EnumMap<>(Measured.class);

    /** All of them at once, so that each is there at zero. */
    @PostConstruct
    void make() {
        for (Measured measured : Measured.values()) {
            counters.put(
                    measured,
                    registry.counter(
                            described(measured.metric(), DESCRIPTIONS.getOrDefault(measured.metric(), "")),
                            new Tag(measured.label(), measured.value())));
        }
    }

    /** A bean is made when it is first used, and these are to be there before. */
    void start(@Observes DatabaseReady ready) {}

    void add(Measured what, long count) {
        Counter counter = counters.get(what);
        if (counter != null) {
            counter.inc(count);
        }
    }

    void links(Supplier<Number> count) {
        registry.gauge(described("huddle_mesh_links", "Open links to other nodes."), count);
    }

    private static Metadata described(String name, String description) {
        return Metadata.builder()
                .withName(name)
                .withDescription(description)
                .withUnit(MetricUnits.NONE)
                .build();
    }
}
