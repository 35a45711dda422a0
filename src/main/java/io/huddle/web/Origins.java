package io.huddle.web;

import io.huddle.setting.Setting;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** Cross-origin requests from the web origins that the operator named; all others get no permission. Pure. */
public final class Origins {
    private Origins() {}

    /** The setting {@code huddle.origins}: origins such as {@code https://ehr.example}, separated by commas. */
    public static Set<String> configured() {
        String text = Setting.text("huddle.origins");
        if (text.isEmpty()) {
            return Set.of();
        }
        Set<String> origins = Arrays.stream(text.split(",")).map(String::strip).collect(Collectors.toSet());
        for (String origin : origins) {
            if (!origin.matches("https?://[A-Za-z0-9.\\[\\]:-]+")) {
                throw new IllegalStateException(
                        "huddle.origins holds '" + origin + "' but an origin looks like https://ehr.example");
            }
        }
        return origins;
    }

    /** Permits an allowed origin; true if the request is a preflight, which ends here. */
    static boolean preflight(HttpServletRequest request, HttpServletResponse response, Set<String> allowed) {
        String origin = request.getHeader("Origin");
        boolean preflight =
                "OPTIONS".equals(request.getMethod()) && request.getHeader("Access-Control-Request-Method") != null;
        if (!allowed.isEmpty()) {
            response.addHeader("Vary", "Origin");
        }
        if (origin != null && allowed.contains(origin)) {
            response.setHeader("Access-Control-Allow-Origin", origin);
            response.setHeader("Access-Control-Expose-Headers", "Location, ETag, Idempotency-Replayed, Retry-After");
            if (preflight) {
                response.setHeader("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
                response.setHeader(
                        "Access-Control-Allow-Headers",
                        "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Huddle-Reason,"
                                + " traceparent");
                response.setHeader("Access-Control-Max-Age", "600");
            }
        }
        return preflight;
    }
}
