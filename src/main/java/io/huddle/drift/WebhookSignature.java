package io.huddle.drift;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The headers by which a receiver knows who sent a message, that it is whole, and that it is not old. Standard Webhooks 1. */
final class WebhookSignature {
    static final String ALGORITHM = "HmacSHA256";

    private WebhookSignature() {}

    /**
     * The three headers of one try.
     *
     * @param id the same for every try of a message, so that a receiver can drop what it has
     * @param seconds since the epoch, of this try
     */
    static Map<String, String> headers(SecretKeySpec key, String id, long seconds, String body) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("webhook-id", id);
        headers.put("webhook-timestamp", Long.toString(seconds));
        headers.put("webhook-signature", "v1," + sign(key, id + "." + seconds + "." + body));
        return headers;
    }

    private static String sign(SecretKeySpec key, String content) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return Base64.getEncoder().encodeToString(mac.doFinal(content.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, missing);
        }
    }
}
