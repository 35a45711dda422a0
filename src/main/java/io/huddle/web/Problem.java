package io.huddle.web;

import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.Map;

/** An RFC 9457 problem. Pure but for the response it builds. */
public final class Problem {
    public static final String MEDIA_TYPE = "application/problem+json";

    /** Seconds; short, since an outage of the database is usually a failover. */
    static final int RETRY_AFTER = 1;

    private static final String CHALLENGE = "Bearer realm=\"huddle\"";

    private Problem() {}

    /** The problem as JSON text. */
    public static String json(Refusal refusal, String detail, Map<String, String> members) {
        JsonObjectBuilder json = builder(refusal, detail);
        members.forEach(json::add);
        return json.build().toString();
    }

    private static JsonObjectBuilder builder(Refusal refusal, String detail) {
        return Json.createObjectBuilder()
                .add("type", "urn:huddle:problem:" + refusal.slug())
                .add("title", refusal.title())
                .add("status", refusal.status())
                .add("detail", detail)
                .add("code", refusal.slug());
    }

    public static Response response(Refusal refusal, String detail) {
        return answer(refusal, json(refusal, detail, Map.of()));
    }

    public static Response response(Refusal refusal, String detail, Map<String, String> members) {
        return answer(refusal, json(refusal, detail, members));
    }

    /** A problem with a member that is true or false. */
    public static Response response(Refusal refusal, String detail, String flag, boolean isSet) {
        return answer(refusal, builder(refusal, detail).add(flag, isSet).build().toString());
    }

    private static Response answer(Refusal refusal, String problem) {
        Response.ResponseBuilder answer = Response.status(refusal.status())
                .type(MEDIA_TYPE)
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .entity(problem);
        if (refusal.isRetryable()) {
            answer.header(HttpHeaders.RETRY_AFTER, RETRY_AFTER);
        }
        if (refusal == Refusal.UNAUTHENTICATED) {
            answer.header(HttpHeaders.WWW_AUTHENTICATE, CHALLENGE);
        }
        return answer.build();
    }

    /** Answers with the problem outside of JAX-RS: in a filter or an error page. */
    public static void write(HttpServletResponse response, Refusal refusal, String detail) throws IOException {
        response.setStatus(refusal.status());
        response.setContentType(MEDIA_TYPE);
        response.setCharacterEncoding("UTF-8");
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        if (refusal.isRetryable()) {
            response.setIntHeader(HttpHeaders.RETRY_AFTER, RETRY_AFTER);
        }
        if (refusal == Refusal.UNAUTHENTICATED) {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, CHALLENGE);
        }
        response.getWriter().write(json(refusal, detail, Map.of()));
    }
}
