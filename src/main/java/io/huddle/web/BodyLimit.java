package io.huddle.web;

import io.huddle.setting.Setting;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.ext.Provider;

/**
 * Refuses a body whose announced length is over every limit before a byte of it is read. Which limit is this path's, the
 * reader of the body knows.
 */
@Provider
@PreMatching
public class BodyLimit implements ContainerRequestFilter {
    private final int limit = Math.max(Setting.BODY_BYTES.value(), Setting.METADATA_BODY_BYTES.value());

    @Override
    public void filter(ContainerRequestContext request) {
        String length = request.getHeaderString("Content-Length");
        if ((length != null && length.length() > 9) || request.getLength() > limit) {
            throw tooLarge(limit);
        }
    }

    static Refused tooLarge(int limit) {
        return new Refused(Refusal.PAYLOAD_TOO_LARGE, "the body must have at most " + limit + " bytes");
    }
}
