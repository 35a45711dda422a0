package io.huddle.presence;

import io.huddle.store.Database;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Ready while the sweep of this node reaches the database; a node that cannot judge a lease should get no traffic. */
@Readiness
@ApplicationScoped
public class DatabaseReadiness implements HealthCheck {
    @Inject
    private Database database;

    @Inject
    private DatabaseContact contact;

    @Override
    public HealthCheckResponse call() {
        boolean reached = database.isReady() && contact.isFresh();
        return HealthCheckResponse.named("database")
                .withData("state", reached ? "reached" : database.isReady() ? "lost" : "not reached yet")
                .status(reached)
                .build();
    }
}
