package io.huddle.presence;

import io.huddle.store.Database;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Startup;

/** Started once the schema was found to be the one of this build. */
@Startup
@ApplicationScoped
public class SchemaStartup implements HealthCheck {
    @Inject
    private Database database;

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("schema").status(database.isReady()).build();
    }
}
