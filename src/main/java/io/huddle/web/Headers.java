package io.huddle.web;

import io.huddle.setting.Setting;
import io.huddle.store.Database;
import jakarta.inject.Inject;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Before everything else: security headers, web origins, the loopback rule of the demo, and 503 until the database was
 * reached for the first time.
 */
public class Headers implements Filter {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");
    private static final Map<String, String> ALWAYS = Map.of(
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Referrer-Policy", "no-referrer",
            "Cross-Origin-Opener-Policy", "same-origin",
            "Permissions-Policy", "microphone=(self), camera=(), geolocation=()");
    private static final String POLICY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
            + " form-action 'self'; frame-ancestors 'none'";

    private final boolean demo = Setting.DEMO.isOn();
    private final Set<String> origins = Origins.configured();

    @Inject
    private Database database;

    @Override
    public void doFilter(ServletRequest in, ServletResponse out, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest request = (HttpServletRequest) in;
        HttpServletResponse response = (HttpServletResponse) out;
        secure(request, response);
        boolean api = request.getRequestURI().startsWith("/api/");
        if (demo && !LOOPBACK.contains(host(request))) {
            Problem.write(
                    response, Refusal.FORBIDDEN, "the demo answers on a loopback name only: use http://localhost");
        } else if ((api || isModule(request)) && Origins.preflight(request, response, origins)) {
            response.setStatus(HttpServletResponse.SC_NO_CONTENT);
        } else if (api && !database.isReady()) {
            Problem.write(response, Refusal.UNAVAILABLE, "the node has not reached its database yet; try again");
        } else {
            chain.doFilter(in, out);
        }
    }

    private static void secure(HttpServletRequest request, HttpServletResponse response) {
        ALWAYS.forEach(response::setHeader);
        // The OpenAPI UI, the platform's own page, brings inline script; it is not ours to change.
        if (!request.getRequestURI().startsWith("/openapi")) {
            response.setHeader("Content-Security-Policy", POLICY);
        }
        if (request.getRequestURI().startsWith("/api/")) {
            response.setHeader("Cache-Control", "no-store");
        } else {
            // Asked again each time, so that a page never runs modules of two releases.
            response.setHeader("Cache-Control", "no-cache");
        }
        if (request.isSecure()) {
            response.setHeader("Strict-Transport-Security", "max-age=31536000");
        }
    }

    /** The browser's client: pages of the allowed origins import it, and modules are fetched as the API is. */
    private static boolean isModule(HttpServletRequest request) {
        return request.getRequestURI().equals("/huddle.js")
                || request.getRequestURI().startsWith("/client/");
    }

    private static String host(HttpServletRequest request) {
        String host = request.getHeader("Host");
        // A request over HTTP/2 has an authority in its place.
        String name = host == null ? request.getServerName() : host;
        return name.toLowerCase(Locale.ROOT).replaceFirst(":\\d{1,5}$", "");
    }
}
