package io.huddle.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Node;
import io.huddle.harness.Ports;
import io.huddle.harness.Store;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.OAuth2Config;
import no.nav.security.mock.oauth2.token.DefaultOAuth2TokenCallback;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The pages sign in at an identity provider: in a browser, by code and PKCE, with tokens that end and are renewed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OrganisationSignInIT {
    private static final String ISSUER = "hospital";
    private static final String SECRET = "known to the provider and to the nodes";
    private static final long HOUR = 3_600;

    /** By TLS, as the platform's client demands, with a certificate of its own making. */
    private final MockOAuth2Server provider = new MockOAuth2Server(
            OAuth2Config.Companion.fromJson("{\"httpServer\":{\"type\":\"NettyWrapper\",\"ssl\":{}}}"));

    private final int https = Ports.free();
    private @Nullable Node node;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException, GeneralSecurityException {
        if (!Browser.isThere()) {
            System.out.println(getClass().getSimpleName() + " " + Browser.HOW_TO_GET_IT);
        }
        assumeTrue(Browser.isThere(), Browser.HOW_TO_GET_IT);
        provider.start(Ports.free());
        Path certificate = folder.resolve("provider.pem");
        Files.writeString(certificate, certificate());
        Map<String, String> settings = Map.of(
                "HTTPS_PORT",
                Integer.toString(https),
                "HUDDLE_PUBLIC_URL",
                "https://localhost:" + https,
                "HUDDLE_OIDC_ENABLED",
                "true",
                "HUDDLE_OIDC_DISCOVERY_URL",
                provider.wellKnownUrl(ISSUER).toString(),
                "HUDDLE_OIDC_CLIENT_ID",
                "huddle-pages",
                "HUDDLE_OIDC_CLIENT_SECRET",
                SECRET,
                "MP_JWT_VERIFY_PUBLICKEY_LOCATION",
                provider.jwksUrl(ISSUER).toString(),
                "MP_JWT_VERIFY_ISSUER",
                provider.issuerUrl(ISSUER).toString(),
                "MP_JWT_VERIFY_AUDIENCES",
                "huddle",
                "cert_defaultKeyStore",
                certificate.toString());
        node = Node.start("organisation-sign-in", Store.h2(folder).env(), settings)
                .awaitReady();
    }

    @AfterAll
    void stop() {
        if (node != null) {
            node.close();
        }
        provider.shutdown();
    }

    @Test
    void clinician_signsInAtTheProvider_andUsesThePage() {
        answers(HOUR);
        try (Browser browser = Browser.trusting()) {
            browser.go(page("/"));
            browser.awaitShown("#organisation");
            assertThat(browser.shows("#signin-form")).as("the demo's form").isFalse();

            browser.click("organisation-signin");

            browser.awaitShown("#view-lobby");
            assertThat(browser.text("who-subject")).isEqualTo("clinician-7");
            browser.type("occurrence", "standup-monday");
            browser.click("create-submit");
            browser.awaitText("room-title", "standup-monday");
            browser.click("join");
            browser.awaitText("roster", "clinician-7");
            assertThat(browser.barriers()).isEmpty();

            // A page that is opened again is signed in already; no script sees by what.
            browser.go(page("/"));
            browser.awaitShown("#view-lobby");
            assertThat(browser.script("return document.cookie")).isEqualTo("");

            browser.click("sign-out");
            browser.awaitShown("#organisation");
            browser.go(page("/"));
            browser.awaitShown("#organisation");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void operator_signsInAtTheProvider_andUsesTheConsole() {
        answers("on-call-3", List.of("operator"), HOUR);
        try (Browser browser = Browser.trusting()) {
            browser.go(page("/console"));
            browser.awaitShown("#organisation");
            assertThat(browser.shows("#signin-form")).as("the demo's form").isFalse();

            browser.click("organisation-signin");

            browser.awaitShown("#nav-alerts");
            assertThat(browser.text("who-subject")).isEqualTo("on-call-3");

            browser.click("sign-out");
            browser.awaitShown("#organisation");
            browser.go(page("/console"));
            browser.awaitShown("#organisation");
            assertThat(browser.shows("#nav-alerts")).as("signed in again").isFalse();
        }
    }

    @Test
    void clinician_atTheConsole_isToldThatItIsForOperators() {
        answers(HOUR);
        try (Browser browser = Browser.trusting()) {
            browser.go(page("/session/sign-in?to=/console"));
            browser.awaitText("organisation-error", "not an operator");
        }
    }

    @Test
    void cookies_areForTheSessionOnly_andNoWayIntoTheApi() {
        answers(HOUR);
        try (Browser browser = Browser.trusting()) {
            browser.go(page("/session/sign-in?to=/favicon.svg"));
            List<Map<String, Object>> cookies = browser.cookies();

            assertThat(cookies)
                    .as("the session, and none of the platform's that would sign in the next person")
                    .isNotEmpty()
                    .allSatisfy(cookie -> {
                        assertThat(String.valueOf(cookie.get("name"))).startsWith("huddle-session-");
                        assertThat(cookie).containsEntry("httpOnly", true);
                        assertThat(cookie).containsEntry("sameSite", "Lax");
                        assertThat(cookie).containsEntry("secure", true);
                        assertThat(cookie).containsEntry("path", "/session");
                        // A token has dots; three letters alone come by chance.
                        assertThat(String.valueOf(cookie.get("value"))).doesNotContainPattern("eyJ[\\w-]*\\.");
                    });
            StringBuilder all = new StringBuilder();
            cookies.forEach(cookie -> all.append(cookie.get("name"))
                    .append('=')
                    .append(cookie.get("value"))
                    .append("; "));
            Api thief = Api.anonymous(node()).with("Cookie", all.toString());
            thief.get("/rooms?team=ward-7").assertProblem(401, "unauthenticated");
            thief.as("junk").get("/rooms?team=ward-7").assertProblem(401, "unauthenticated");
            thief.atRoot().get("/session/token").assertProblem(403, "forbidden");
            thief.atRoot()
                    .with("Sec-Fetch-Site", "cross-site")
                    .get("/session/token")
                    .assertProblem(403, "forbidden");
            thief.atRoot()
                    .with("Sec-Fetch-Site", "same-origin")
                    .get("/session/token")
                    .assertStatus(200);
        }
    }

    @Test
    void token_thatEndsWithinAMinute_isRenewed_andOneThatCannotBeIsTheWordToSignIn() {
        answers(30);
        try (Browser browser = Browser.trusting()) {
            browser.go(page("/session/sign-in?to=/favicon.svg"));
            Api page = signedIn(browser);

            answers(HOUR);
            Answer renewed = page.get("/session/token").assertStatus(200);

            String token = renewed.json().getString("token");
            assertThat(renewed.header("Cache-Control").orElse("")).contains("no-store");
            assertThat(renewed.header("Set-Cookie"))
                    .as("the session goes on by its next tokens")
                    .isPresent();
            Api.of(node(), token).get("/rooms?team=ward-7").assertStatus(200);
        }
        Api.anonymous(node())
                .atRoot()
                .with("Sec-Fetch-Site", "same-origin")
                .get("/session/token")
                .assertProblem(401, "unauthenticated");
    }

    @Test
    void signIn_returnsToThisOriginOnly() {
        for (String elsewhere : List.of("https://evil.example/", "//evil.example/", "/%5Cevil.example/")) {
            answers(HOUR);
            try (Browser browser = Browser.trusting()) {
                browser.go(page("/session/sign-in?to=" + elsewhere));
                assertThat(browser.address()).startsWith(page("/").toString());
            }
        }
    }

    private Api signedIn(Browser browser) {
        StringBuilder all = new StringBuilder();
        browser.cookies()
                .forEach(cookie -> all.append(cookie.get("name"))
                        .append('=')
                        .append(cookie.get("value"))
                        .append("; "));
        return Api.anonymous(node()).atRoot().with("Cookie", all.toString()).with("Sec-Fetch-Site", "same-origin");
    }

    /** Who signs in next, and how long the token is good for. */
    private void answers(long seconds) {
        answers("clinician-7", List.of("participant"), seconds);
    }

    private void answers(String subject, List<String> groups, long seconds) {
        Map<String, Object> claims = Map.of("groups", groups, "teams", List.of("ward-7"));
        provider.enqueueCallback(new DefaultOAuth2TokenCallback(
                ISSUER, subject, "JWT", List.of("huddle", "huddle-pages"), claims, seconds));
    }

    private Node node() {
        return Objects.requireNonNull(node);
    }

    private URI page(String path) {
        return URI.create("https://localhost:" + https + path);
    }

    /** What the provider shows of itself, for the key store of the node. */
    private String certificate() throws IOException, GeneralSecurityException {
        SSLContext anybody = SSLContext.getInstance("TLS");
        anybody.init(null, new TrustManager[] {new Trusting()}, null);
        URI address = provider.baseUrl().uri();
        try (SSLSocket socket =
                (SSLSocket) anybody.getSocketFactory().createSocket(address.getHost(), address.getPort())) {
            socket.startHandshake();
            byte[] der = socket.getSession().getPeerCertificates()[0].getEncoded();
            return "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder().encodeToString(der)
                    + "\n-----END CERTIFICATE-----\n";
        }
    }

    /** To be shown a certificate, not to be sure of it. */
    private static final class Trusting extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
