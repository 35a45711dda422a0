package io.huddle.security;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps a page's session between its requests: sealed, in cookies that only the paths below {@code /session} get, no script
 * reads and no other site's request carries. No node remembers a session, so any node serves it. Immutable.
 *
 * <p>A browser takes 4,096 bytes a cookie, and tokens with many groups are longer: a session is cut into several.
 */
final class SessionCookies {
    private static final String NAME = "huddle-session-";
    private static final String PATH = "/session";
    private static final String BOUND = "session";
    private static final int PART = 3_800;
    private static final int MOST_PARTS = 6;

    private final SecretSeal seal;

    SessionCookies(String secret) {
        this.seal = new SecretSeal(secret, "huddle page sessions");
    }

    /** @throws IllegalArgumentException if it is too long for the cookies of a browser */
    void write(HttpServletRequest request, HttpServletResponse response, PageSession session) {
        String sealed = seal.seal(BOUND, session.text())
                .replace('+', '-')
                .replace('/', '_')
                .replace("=", "");
        int parts = (sealed.length() + PART - 1) / PART;
        if (parts > MOST_PARTS) {
            throw new IllegalArgumentException("the provider's tokens are too long for cookies: " + sealed.length()
                    + " characters; let it put less into them");
        }
        clear(request, response, parts);
        for (int part = 0; part < parts; part++) {
            String value = sealed.substring(part * PART, Math.min(sealed.length(), (part + 1) * PART));
            response.addCookie(cookie(NAME + part, value));
        }
    }

    /** The session of this request; empty if it has none, or one that this deployment did not seal. */
    Optional<PageSession> read(HttpServletRequest request) {
        Map<String, String> parts = parts(request);
        StringBuilder sealed = new StringBuilder();
        for (int part = 0; parts.containsKey(NAME + part); part++) {
            sealed.append(parts.get(NAME + part));
        }
        return Optional.ofNullable(
                        seal.open(BOUND, sealed.toString().replace('-', '+').replace('_', '/')))
                .map(PageSession::parse);
    }

    /** Ends the session in the browser. */
    void clear(HttpServletRequest request, HttpServletResponse response) {
        clear(request, response, 0);
    }

    /** Ends the parts from this one on. */
    private static void clear(HttpServletRequest request, HttpServletResponse response, int first) {
        for (int part = first; part < MOST_PARTS; part++) {
            if (parts(request).containsKey(NAME + part)) {
                Cookie ended = cookie(NAME + part, "");
                ended.setMaxAge(0);
                response.addCookie(ended);
            }
        }
    }

    private static Map<String, String> parts(HttpServletRequest request) {
        Map<String, String> parts = new TreeMap<>();
        Cookie[] cookies = request.getCookies();
        if (cookies != null) {
            for (Cookie cookie : cookies) {
                if (cookie.getName().startsWith(NAME)) {
                    parts.put(cookie.getName(), cookie.getValue());
                }
            }
        }
        return parts;
    }

    private static Cookie cookie(String name, String value) {
        Cookie cookie = new Cookie(name, value);
        cookie.setPath(PATH);
        cookie.setHttpOnly(true);
        cookie.setSecure(true);
        cookie.setAttribute("SameSite", "Lax");
        return cookie;
    }
}
