package io.huddle.drift;

import io.huddle.setting.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Base64;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Where alerts are sent, and the secret that signs them: by configuration alone, so that no caller can make a node call
 * anything. Both are secrets, since many receivers put a token into the address.
 */
public final class WebhookAddress {
    private static final String URL = "huddle.alerts.webhook.url";
    private static final String SECRET = "huddle.alerts.webhook.secret";
    private static final String PREFIX = "whsec_";
    private static final int LEAST_BYTES = 24;
    private static final int MOST_BYTES = 64;
    private static final int LONGEST = 2_000;
    private static final int HIGHEST_PORT = 65_535;

    private final URI url;
    private final SecretKeySpec key;

    private WebhookAddress(URI url, SecretKeySpec key) {
        this.url = url;
        this.key = key;
    }

    /** @throws IllegalStateException if the address or its secret is wrong; quotes neither */
    public static void check() {
        configured();
    }

    /** Null if no address is set. */
    static @Nullable WebhookAddress configured() {
        String text = Setting.text(URL);
        if (text.isEmpty()) {
            if (!Setting.text(SECRET).isEmpty()) {
                throw new IllegalStateException(SECRET + " is set without " + URL);
            }
            return null;
        }
        return new WebhookAddress(url(text), key(Setting.text(SECRET)));
    }

    URI url() {
        return url;
    }

    SecretKeySpec key() {
        return key;
    }

    private static URI url(String text) {
        URI url;
        try {
            url = new URI(text);
        } catch (URISyntaxException unreadable) {
            // Its message quotes the address.
            throw new IllegalStateException(URL + " is no address");
        }
        boolean isPlain = url.getRawUserInfo() == null && url.getRawFragment() == null && text.length() <= LONGEST;
        boolean isAscii = text.chars().allMatch(c -> c > ' ' && c < 0x7f);
        // To these no connection can even be tried, so no try would ever count, and the message would stay for ever.
        boolean isDialled = url.getPort() != 0
                && url.getPort() <= HIGHEST_PORT
                && (url.getHost() == null || !url.getHost().endsWith("."));
        if (!"https".equalsIgnoreCase(url.getScheme()) || url.getHost() == null || !isDialled || !isPlain || !isAscii) {
            throw new IllegalStateException(URL + " must be an https address with a host, of at most " + LONGEST
                    + " ASCII characters, without user name, fragment and final dot, its port from 1 to "
                    + HIGHEST_PORT);
        }
        return url;
    }

    private static SecretKeySpec key(String text) {
        byte[] secret = new byte[0];
        if (text.startsWith(PREFIX)) {
            try {
                secret = Base64.getDecoder().decode(text.substring(PREFIX.length()));
            } catch (IllegalArgumentException unreadable) {
                throw new IllegalStateException(SECRET + " must be base64 after " + PREFIX);
            }
        }
        if (secret.length < LEAST_BYTES || secret.length > MOST_BYTES) {
            throw new IllegalStateException(SECRET + " must be " + PREFIX + " and the base64 of " + LEAST_BYTES + " to "
                    + MOST_BYTES + " random bytes");
        }
        return new SecretKeySpec(secret, WebhookSignature.ALGORITHM);
    }
}
