package io.huddle.membership;

import io.huddle.web.ClusterWide;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Locale;
import java.util.function.Supplier;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.MetricUnits;
import org.eclipse.microprofile.metrics.Tag;

/** What this node tells of its membership. Labels are closed sets, never a number. Safe for use by any thread. */
@ApplicationScoped
class MembershipMetrics {
    private static final Metadata NODES = described(
            "huddle_mesh_nodes",
            ClusterWide.REDIS.described(
                    "Nodes with an unexpired lease. No value on a node that has none itself, as it sees nobody."),
            MetricUnits.NONE);
    private static final Metadata REMAINING = described(
            "huddle_mesh_lease_remaining_seconds",
            "How long this node can still prove its lease; zero without one.",
            MetricUnits.SECONDS);
    private static final Metadata LOSSES =
            described("huddle_mesh_lease_losses", "Leases of this node that ended, by reason.", MetricUnits.NONE);
    private static final Metadata BROADCASTS = described(
            "huddle_mesh_broadcasts",
            "Broadcasts that arrived on this node, by what became of them.",
            MetricUnits.NONE);

    @Inject
    private MetricRegistry registry;

    void gauges(Supplier<Number> nodes, Supplier<Number> remainingSeconds) {
        registry.gauge(
                NODES,
                () -> remainingSeconds.get().doubleValue() > 0 ? nodes.get().doubleValue() : Double.NaN);
        registry.gauge(REMAINING, remainingSeconds);
    }

    void lost(Loss why) {
        registry.counter(LOSSES, new Tag("reason", why.label())).inc();
    }

    void broadcast(Broadcasts.Outcome outcome) {
        registry.counter(BROADCASTS, new Tag("outcome", outcome.name().toLowerCase(Locale.ROOT)))
                .inc();
    }

    private static Metadata described(String name, String description, String unit) {
        return Metadata.builder()
                .withName(name)
                .withDescription(description)
                .withUnit(unit)
                .build();
    }
}
