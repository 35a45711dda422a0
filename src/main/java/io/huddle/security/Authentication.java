package io.huddle.security;

import io.huddle.setting.Setting;
import io.huddle.web.Problem;
import io.huddle.web.Refusal;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import org.eclipse.microprofile.jwt.JsonWebToken;

/**
 * Lets nobody into the API without a verified token, save for the demo sign-in, which makes tokens. While the demo is off
 * its path does not exist, whatever the method or the body.
 *
 * <p>The platform verifies (MicroProfile JWT); this filter asks it to, and answers in its stead with a problem, since the
 * platform's own refusal has no body.
 */
public class Authentication implements Filter {
    private static final String DEMO = "/api/v1/demo/token";

    private final boolean demo = Setting.DEMO.isOn();

    @Override
    public void doFilter(ServletRequest in, ServletResponse out, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest request = (HttpServletRequest) in;
        HttpServletResponse response = (HttpServletResponse) out;
        boolean signIn = request.getRequestURI().equals(DEMO);
        if (signIn && !demo) {
            Problem.write(response, Refusal.NOT_FOUND, "No resource has this path; /openapi lists them.");
        } else if (signIn || isVerified(request, response)) {
            chain.doFilter(in, out);
        } else {
            Problem.write(
                    response,
                    Refusal.UNAUTHENTICATED,
                    "Send Authorization: Bearer with a token that is signed, unexpired and meant for Huddle.");
        }
    }

    private static boolean isVerified(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        String header = request.getHeader("Authorization");
        if (header == null || !header.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return false;
        }
        // By the token: a session of the platform's, if there ever is one, is no way in.
        return request.authenticate(new Unwritten(response)) && request.getUserPrincipal() instanceof JsonWebToken;
    }

    /** Keeps the platform's refusal from reaching the caller. */
    private static final class Unwritten extends HttpServletResponseWrapper {
        Unwritten(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void setStatus(int status) {}

        @Override
        public void sendError(int status) {}

        @Override
        public void sendError(int status, String message) {}

        @Override
        public void setHeader(String name, String value) {}

        @Override
        public void addHeader(String name, String value) {}

        @Override
        public void addCookie(Cookie cookie) {}

        @Override
        public void flushBuffer() {}
    }
}
