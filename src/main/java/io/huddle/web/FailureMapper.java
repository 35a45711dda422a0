package io.huddle.web;

import io.huddle.store.Failure;
import jakarta.ws.rs.NotAcceptableException;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.NotSupportedException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Turns whatever a resource throws into a documented problem; the one place that logs a defect, with its id. */
@Provider
public class FailureMapper implements ExceptionMapper<Throwable> {
    private static final Logger LOG = Logger.getLogger(FailureMapper.class.getName());

    @Override
    public Response toResponse(Throwable thrown) {
        Throwable cause = Causes.of(thrown);
        if (cause instanceof Refused refused) {
            return Problem.response(refused.refusal(), refused.detail(), refused.members());
        }
        if (cause instanceof WebApplicationException web) {
            return ofPlatform(web);
        }
        if (Failure.of(cause) != Failure.DEFECT) {
            LOG.log(Level.FINE, "answered 503", cause);
            return Problem.response(
                    Refusal.UNAVAILABLE,
                    "The database cannot be reached or is too slow. Nothing was changed that a"
                            + " retry would repeat; send the same request again.");
        }
        if (isUnreadable(cause)) {
            return Problem.response(Refusal.INVALID_REQUEST, "A header of the request could not be read.");
        }
        String id = UUID.randomUUID().toString();
        LOG.log(Level.SEVERE, "internal error " + id, cause);
        return Problem.response(Refusal.INTERNAL_ERROR, "Please report this id, which is also in the log: " + id);
    }

    private static Response ofPlatform(WebApplicationException web) {
        if (web instanceof NotFoundException) {
            return Problem.response(Refusal.NOT_FOUND, "No resource has this path; /openapi lists them.");
        }
        if (web instanceof NotAllowedException) {
            return allowing(web, Problem.response(Refusal.METHOD_NOT_ALLOWED, "See the header Allow."));
        }
        if (web instanceof NotAcceptableException) {
            return Problem.response(Refusal.NOT_ACCEPTABLE, "Accept application/json.");
        }
        if (web instanceof NotSupportedException) {
            return Problem.response(Refusal.UNSUPPORTED_MEDIA_TYPE, "Send Content-Type: application/json.");
        }
        int status = web.getResponse().getStatus();
        if (status >= 400 && status < 500) {
            return Problem.response(Refusal.INVALID_REQUEST, "The request could not be read.");
        }
        return web.getResponse();
    }

    /**
     * Malformed headers make the JAX-RS implementation throw its own kind of failure, which is no WebApplicationException
     * and whose class the application cannot name.
     */
    private static boolean isUnreadable(Throwable cause) {
        return cause.getClass().getName().equals("org.jboss.resteasy.spi.LoggableFailure");
    }

    private static Response allowing(WebApplicationException web, Response problem) {
        String allowed = web.getResponse().getHeaderString(HttpHeaders.ALLOW);
        return allowed == null
                ? problem
                : Response.fromResponse(problem)
                        .header(HttpHeaders.ALLOW, allowed)
                        .build();
    }
}
