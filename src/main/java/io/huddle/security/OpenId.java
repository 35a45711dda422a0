package io.huddle.security;

import io.huddle.setting.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * The identity provider at which the pages sign in, {@code huddle.oidc.*}. The platform's client of OpenID Connect speaks
 * with it, except for renewals, which it does not know. Immutable.
 *
 * @param discovery where the provider describes itself
 * @param secret what the provider knows this deployment by; the pages' sessions are sealed by it, too, so that any node opens
 *     them
 */
record OpenId(URI discovery, String client, String secret) {
    private static final String DISCOVERY = "huddle.oidc.discovery-url";
    private static final String CLIENT = "huddle.oidc.client-id";
    private static final String SECRET = "huddle.oidc.client-secret";
    private static final int SHORTEST_SECRET = 16;

    /** The configured provider; null where the pages do not sign in at one. */
    static @Nullable OpenId configured() {
        return Setting.OIDC.isOn()
                ? new OpenId(URI.create(Setting.text(DISCOVERY)), Setting.text(CLIENT), Setting.text(SECRET))
                : null;
    }

    /** @throws IllegalStateException naming what is missing or wrong; never quotes the secret */
    static void check() {
        if (!Setting.OIDC.isOn()) {
            return;
        }
        refuse(Setting.DEMO.isOn(), "huddle.oidc.enabled and huddle.demo exclude each other: switch one off");
        refuse(
                !isSafe(Setting.text("huddle.public-url")),
                "huddle.oidc.enabled needs huddle.public-url by https: the provider sends the browser back there");
        refuse(!isSafe(Setting.text(DISCOVERY)), DISCOVERY + " must be an https address");
        refuse(Setting.text(CLIENT).isEmpty(), CLIENT + " is missing: the provider knows the deployment by it");
        refuse(
                Setting.text(SECRET).length() < SHORTEST_SECRET,
                SECRET + " needs at least " + SHORTEST_SECRET + " characters: it seals the sessions of the pages, too");
        refuse(
                !PlatformSignIn.isThere(),
                "the server has no client of OpenID Connect: huddle.oidc.enabled is set by the environment only, as"
                        + " HUDDLE_OIDC_ENABLED=true, and needs oidc-true.xml beside server.xml");
    }

    private static boolean isSafe(String address) {
        try {
            URI uri = new URI(address);
            return "https".equals(uri.getScheme()) && uri.getHost() != null;
        } catch (URISyntaxException unreadable) {
            return false;
        }
    }

    private static void refuse(boolean wrong, String sentence) {
        if (wrong) {
            throw new IllegalStateException(sentence);
        }
    }
}
