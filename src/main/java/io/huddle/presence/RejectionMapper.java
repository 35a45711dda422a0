package io.huddle.presence;

import io.huddle.web.Problem;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** Counts a refused command, once, where it leaves the service. */
@Provider
@ApplicationScoped
public class RejectionMapper implements ExceptionMapper<Rejection> {
    @Inject
    private PresenceMetrics metrics;

    @Override
    public Response toResponse(Rejection rejection) {
        metrics.rejected(rejection);
        return Problem.response(rejection.refusal(), rejection.detail(), rejection.members());
    }
}
