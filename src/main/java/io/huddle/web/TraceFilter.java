package io.huddle.web;

import jakarta.inject.Inject;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.ext.Provider;

/** Reads the trace context of every request. */
@Provider
@PreMatching
public class TraceFilter implements ContainerRequestFilter {
    @Inject
    private Trace trace;

    @Override
    public void filter(ContainerRequestContext request) {
        trace.take(request.getHeaderString("traceparent"));
    }
}
