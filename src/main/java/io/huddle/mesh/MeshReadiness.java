package io.huddle.mesh;

import io.huddle.membership.Membership;
import io.huddle.redis.Redis;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
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
        String degraded = degraded(isAnswering, membership.lease().isPresent(), membership.mayDeliver());
        return HealthCheckResponse.named("mesh")
                .withData("state", ownership.state().label())
                .withData("service", degraded.isEmpty() ? "whole" : "degraded")
                .withData("why", membership.problem().orElse(degraded))
                .status(isReady(ownership.state(), membership.problem().isPresent()))
                .build();
    }

    /** A node that sends its clients away is to get no new ones. */
    static boolean isReady(Lifecycle.State state, boolean isMisset) {
        return !isMisset && state != Lifecycle.State.DRAINING && state != Lifecycle.State.STOPPED;
    }

    /** Why calls to clients may be refused; empty if nothing is known to be wrong. */
    static String degraded(boolean isAnswering, boolean hasLease, boolean mayDeliver) {
        if (!isAnswering) {
            return "redis does not answer";
        }
        if (!hasLease) {
            return "no lease";
        }
        return mayDeliver ? "" : "the registry has begun anew";
    }
}
