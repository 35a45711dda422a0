package io.huddle.presence;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.ext.Provider;

/** Whoever accepts anything gets events as one JSON document; only who names server-sent events gets an endless answer. */
@Provider
@PreMatching
public class EventsAccept implements ContainerRequestFilter {
    @Override
    public void filter(ContainerRequestContext request) {
        String accept = request.getHeaderString(HttpHeaders.ACCEPT);
        boolean anything = accept == null || accept.contains(MediaType.WILDCARD);
        boolean live = accept != null && accept.contains(MediaType.SERVER_SENT_EVENTS);
        // A HEAD has no end either where the answer is live, and its reader could never be told from one that is gone.
        boolean head = "HEAD".equals(request.getMethod());
        if ((head || (anything && !live)) && request.getUriInfo().getPath().endsWith("/events")) {
            request.getHeaders().putSingle(HttpHeaders.ACCEPT, MediaType.APPLICATION_JSON);
        }
    }
}
