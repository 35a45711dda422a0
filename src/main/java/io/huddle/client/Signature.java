package io.huddle.client;

import java.util.Map;

/** What the signature of one handshake covers. */
record Signature(
        String path,
        String audience,
        String appVersion,
        String timestamp,
        String nonce,
        String streamId,
        String clientId,
        String protocol,
        boolean supersede,
        Map<String, String> metadata) {
    String by(String secret) {
        throw new UnsupportedOperationException(secret.length() + " bytes");
    }
}
