package io.huddle.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A page's session between its requests: what it is read from, sealed in, and where a sign-in leads back to. */
class PageSessionTest {
    private static final String SECRET = "known to the provider and to the nodes";

    private final SessionCookies cookies = new SessionCookies(SECRET);

    /** What the browser holds, by name. */
    private final Map<String, Cookie> browser = new TreeMap<>();

    private final HttpServletRequest request =
            fake(HttpServletRequest.class, "getCookies", () -> browser.values().toArray(new Cookie[0]));

    private final HttpServletResponse response = (HttpServletResponse) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {HttpServletResponse.class}, (self, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("addCookie");
                Cookie cookie = (Cookie) arguments[0];
                if (cookie.getMaxAge() == 0) {
                    browser.remove(cookie.getName());
                } else {
                    browser.put(cookie.getName(), cookie);
                }
                return null;
            });

    @Test
    void session_written_isReadAgain_fromCookiesThatTellNothing() {
        PageSession session = PageSession.of(token("{\"exp\":1900000000,\"sub\":\"clinician-7\"}"), "refresh-1");

        cookies.write(request, response, session);

        assertThat(browser).hasSize(1).allSatisfy((name, cookie) -> {
            assertThat(cookie.getValue()).matches("[A-Za-z0-9_-]+").doesNotContain(session.access());
            assertThat(cookie.isHttpOnly()).isTrue();
            assertThat(cookie.getSecure()).isTrue();
            assertThat(cookie.getPath()).isEqualTo("/session");
            assertThat(cookie.getAttribute("SameSite")).isEqualTo("Lax");
            assertThat(cookie.getMaxAge()).as("ends with the browser").isNegative();
        });
        assertThat(cookies.read(request)).contains(session);
        assertThat(session.ends()).isEqualTo(Instant.ofEpochSecond(1_900_000_000));
    }

    @Test
    void longSession_isCutIntoSeveralCookies_whichAShorterOneReplaces() {
        PageSession longer = PageSession.of(token("{\"exp\":1900000000,\"teams\":\"" + "t".repeat(9_000) + "\"}"), "r");
        PageSession shorter = PageSession.of(token("{\"exp\":1900000000}"), "r");

        cookies.write(request, response, longer);
        assertThat(browser)
                .hasSizeGreaterThan(3)
                .allSatisfy((name, cookie) ->
                        assertThat(name.length() + cookie.getValue().length()).isLessThan(4_096));
        assertThat(cookies.read(request)).contains(longer);

        cookies.write(request, response, shorter);
        assertThat(browser).hasSize(1);
        assertThat(cookies.read(request)).contains(shorter);

        cookies.clear(request, response);
        assertThat(browser).isEmpty();
        assertThat(cookies.read(request)).isEmpty();
    }

    @Test
    void sessionThatNoBrowserHolds_isRefused() {
        PageSession huge = PageSession.of(token("{\"exp\":1900000000,\"teams\":\"" + "t".repeat(40_000) + "\"}"), "r");
        assertThatThrownBy(() -> cookies.write(request, response, huge)).hasMessageContaining("too long");
        assertThat(browser).isEmpty();
    }

    @Test
    void cookie_sealedByAnotherDeploymentOrChanged_isNoSession() {
        cookies.write(request, response, PageSession.of(token("{\"exp\":1900000000}"), "r"));
        assertThat(new SessionCookies("another secret altogether").read(request))
                .isEmpty();

        Cookie cookie = browser.values().iterator().next();
        char first = cookie.getValue().charAt(40);
        cookie.setValue(cookie.getValue().substring(0, 40)
                + (first == 'A' ? 'B' : 'A')
                + cookie.getValue().substring(41));
        assertThat(cookies.read(request)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "opaque", "a.b.c", "e30.e30.e30", "e30.eyJleHAiOiJ4In0.e30"})
    void accessToken_thatIsNoJwtWithAnEnd_isRefusedAndNotQuoted(String token) {
        assertThatThrownBy(() -> PageSession.of(token, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("JWT");
    }

    @ParameterizedTest
    @CsvSource({
        "/, /",
        "/?room=r-1, /?room=r-1",
        "/console, /console",
        "//evil.example, /",
        "/\\evil.example, /",
        "https://evil.example, /",
        "javascript:alert(1), /",
        "'/a b', /",
        "'', /"
    })
    void returnAddress_isAPathOfThisOrigin(String asked, String led) {
        assertThat(SessionServlet.local(asked)).isEqualTo(led);
        assertThat(SessionServlet.local("/x\r\nSet-Cookie: a=b")).isEqualTo("/");
        assertThat(SessionServlet.local(null)).isEqualTo("/");
    }

    private static String token(String claims) {
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        return "e30." + base64.encodeToString(claims.getBytes(StandardCharsets.UTF_8)) + ".c2lnbmVk";
    }

    private static <T> T fake(Class<T> type, String asked, Supplier<?> answer) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo(asked);
                    return answer.get();
                }));
    }
}
