package io.huddle.presence;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/** Alive while it can answer at all; no dependency makes a restart of the node the right answer. */
@Liveness
@ApplicationScoped
public class Alive implements HealthCheck {
    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.up("process");
    }
}
