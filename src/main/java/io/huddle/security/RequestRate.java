package io.huddle.security;

import io.huddle.setting.Setting;
import io.huddle.web.RateLimit;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.ext.Provider;

/** Requests a second of one subject; renewals have a limit of their own, see {@code io.huddle.presence}. */
@Provider
@Priority(Priorities.AUTHORIZATION)
public class RequestRate implements ContainerRequestFilter {
    private final RateLimit limit = new RateLimit(Setting.REQUESTS_PER_SECOND.value(), Setting.REQUEST_BURST.value());

    @Inject
    private Callers callers;

    @Override
    public void filter(ContainerRequestContext request) {
        String path = request.getUriInfo().getPath();
        if (!path.endsWith("/lease") && !path.endsWith("demo/token")) {
            limit.take(callers.current().subject());
        }
    }
}
