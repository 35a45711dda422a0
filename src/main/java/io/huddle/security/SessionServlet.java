package io.huddle.security;

import io.huddle.setting.Setting;
import io.huddle.web.JsonShapes;
import io.huddle.web.Problem;
import io.huddle.web.Refusal;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The sign-in of Huddle's own pages outside of the demo. Without {@code huddle.oidc.enabled} none of its paths exists.
 *
 * <p>{@code GET /session/sign-in?to=/…} leads the browser to the provider and back to a path of the pages.
 * {@code GET /session/token} answers the page's access token, renewed shortly before it ends; 401 is the word to sign in.
 * {@code DELETE /session/token} signs out here, not at the provider. The two answer requests of this origin only. REST and
 * streams take the token and never the cookie.
 */
@WebServlet("/session/*")
public class SessionServlet extends HttpServlet {
    private static final Logger LOG = Logger.getLogger(SessionServlet.class.getName());

    /** Pages ask again half a minute before the end, so that every answer is good for longer. */
    private static final Duration RENEWED_BEFORE_END = Duration.ofMinutes(1);

    private final @Nullable OpenId provider = OpenId.configured();
    private final SessionCookies cookies = new SessionCookies(provider == null ? "" : provider.secret());
    private final @Nullable TokenRenewal renewal = provider == null ? null : new TokenRenewal(provider);

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String path = String.valueOf(request.getPathInfo());
        String method = request.getMethod();
        boolean token = path.equals("/token");
        if (renewal == null || !(token || path.equals("/sign-in"))) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        response.setHeader("Cache-Control", "no-store");
        if (token && !"same-origin".equals(request.getHeader("Sec-Fetch-Site"))) {
            Problem.write(response, Refusal.FORBIDDEN, "Only Huddle's own pages ask for their token.");
        } else if (token && method.equals("GET")) {
            token(request, response, renewal);
        } else if (token && method.equals("DELETE")) {
            cookies.clear(request, response);
            response.setStatus(HttpServletResponse.SC_NO_CONTENT);
        } else if (!token && method.equals("GET")) {
            signIn(request, response);
        } else {
            Problem.write(response, Refusal.METHOD_NOT_ALLOWED, "This path has GET, and the token DELETE.");
        }
    }

    private void signIn(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
        // The first time round this leads to the provider, and is answered with that.
        if (!request.authenticate(new Unremembered(response))) {
            return;
        }
        Optional<PageSession> session = PlatformSignIn.tokens();
        request.logout();
        if (session.isEmpty()) {
            Problem.write(response, Refusal.FORBIDDEN, "The provider gave no access token.");
            return;
        }
        cookies.write(request, response, session.get());
        response.sendRedirect(local(request.getParameter("to")));
    }

    private void token(HttpServletRequest request, HttpServletResponse response, TokenRenewal by) throws IOException {
        Optional<PageSession> found = cookies.read(request);
        if (found.isEmpty()) {
            Problem.write(response, Refusal.UNAUTHENTICATED, "Nobody is signed in here.");
            return;
        }
        PageSession session = found.get();
        Instant now = Instant.now();
        if (session.ends().isBefore(now.plus(RENEWED_BEFORE_END))
                && !session.refresh().isEmpty()) {
            try {
                Optional<PageSession> next = by.renewed(session);
                if (next.isPresent()) {
                    session = next.get();
                    cookies.write(request, response, session);
                }
                // A refused one may be another tab's, which has a newer one: the cookie is left alone.
            } catch (IOException silent) {
                LOG.log(Level.WARNING, "the identity provider did not renew a page''s token: {0}", silent.getMessage());
                if (!session.ends().isAfter(now)) {
                    Problem.write(response, Refusal.UNAVAILABLE, "The identity provider does not answer; try again.");
                    return;
                }
            }
        }
        if (session.ends().isAfter(now)) {
            answer(response, session, now);
        } else {
            Problem.write(response, Refusal.UNAUTHENTICATED, "The sign-in has ended; sign in again.");
        }
    }

    private static void answer(HttpServletResponse response, PageSession session, Instant now) throws IOException {
        JsonObject claims = PageSession.claims(session.access());
        String claim = Setting.text("huddle.jwt.subject-claim");
        response.setContentType("application/json");
        response.setCharacterEncoding("UTF-8");
        response.getWriter()
                .write(Json.createObjectBuilder()
                        .add("token", session.access())
                        .add("expiresAt", JsonShapes.time(session.ends()))
                        .add("serverTime", JsonShapes.time(now))
                        .add("subject", claims.getString(claim.isEmpty() ? "sub" : claim, ""))
                        .add("groups", array(claims, "groups"))
                        .add("teams", array(claims, "teams"))
                        .build()
                        .toString());
    }

    private static JsonArray array(JsonObject claims, String name) {
        return claims.get(name) instanceof JsonArray array ? array : JsonValue.EMPTY_JSON_ARRAY;
    }

    /** A path of this origin, and nothing that a browser could take for another one. */
    static String local(@Nullable String to) {
        return to != null && to.matches("/(?![/\\\\])[\\x21-\\x7e&&[^\\\\]]*") ? to : "/";
    }

    /**
     * Keeps the platform's own session from the browser: it would sign in whoever comes next, after a sign-out too, without
     * asking the provider. The cookies of a sign-in under way pass.
     */
    private static final class Unremembered extends HttpServletResponseWrapper {
        private static final List<String> SESSIONS = List.of("WASOidcClient", "WASOidcSession", "Ltpa");

        Unremembered(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void addCookie(Cookie cookie) {
            if (SESSIONS.stream().noneMatch(cookie.getName()::startsWith)) {
                super.addCookie(cookie);
            }
        }
    }
}
