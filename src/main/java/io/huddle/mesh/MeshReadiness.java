package io.huddle.mesh;

import io.huddle.membership.Membership;
import io.huddle.redis.Redis;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * What this node can do of the mesh. Redis away makes it degraded and never unready: rooms, joins and events go on. A node
 * that is set so that it must not join is not ready, and one that drains is not any more.
 */
@Readiness
@ApplicationScoped
public class MeshReadiness implements HealthCheck {
    @Inject
    private Membership membership;

    @Inject
    private Redis redis;

    @Inject
    private Ownership ownership;

    @Override
    public HealthCheckResponse call() {
        boolean isAnswering = !redis.isConfigured() || redis.isAnswering();
        List<Part> degraded = degraded(isAnswering, membership.lease().isPresent(), membership.mayDeliver());
        return HealthCheckResponse.named("mesh")
                .withData("state", ownership.state().label())
                .withData("service", degraded.isEmpty() ? "whole" : "degraded")
                .withData("degraded", text(degraded, Part::label))
                .withData("why", membership.problem().orElse(text(degraded, Part::why)))
                .status(isReady(ownership.state(), membership.problem().isPresent()))
                .build();
    }

    /** A node that sends its clients away is to get no new ones. */
    static boolean isReady(Lifecycle.State state, boolean isMisset) {
        return !isMisset && state != Lifecycle.State.DRAINING && state != Lifecycle.State.STOPPED;
    }

    /** What of the mesh may be away while the node serves. */
    enum Part {
        REDIS("redis does not answer"),
        /** Without it calls to clients, here and elsewhere, are refused. */
        LEASE("no lease"),
        /** For its first lease nobody passes calls on. */
        REGISTRY("the registry has begun anew");

        private final String why;

        Part(String why) {
            this.why = why;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        String why() {
            return why;
        }
    }

    /** What calls to clients may be refused for; empty if nothing is known to be wrong. */
    static List<Part> degraded(boolean isAnswering, boolean hasLease, boolean mayDeliver) {
        List<Part> parts = new ArrayList<>();
        if (!isAnswering) {
            parts.add(Part.REDIS);
        }
        if (!hasLease) {
            parts.add(Part.LEASE);
        } else if (!mayDeliver) {
            parts.add(Part.REGISTRY);
        }
        return parts;
    }

    static String text(List<Part> parts, Function<Part, String> word) {
        return parts.stream().map(word).collect(Collectors.joining(", "));
    }
}
