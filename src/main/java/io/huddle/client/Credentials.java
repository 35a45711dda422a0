package io.huddle.client;

import io.huddle.client.HuddleFailure.Reason;
import io.huddle.wire.CanonicalHandshake;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Makes the address of one handshake, good once. */
sealed interface Credentials {
    /** What is the same for each handshake of a client. */
    record Profile(String audience, String appVersion, Map<String, String> metadata) {}

    /** @param clockOffset what is added to this machine's clock to get the server's */
    CompletionStage<URI> handshake(Profile profile, boolean supersede, Duration clockOffset);

    /** A key signs; the secret does not leave. */
    record Signed(URI url, ClientKey key) implements Credentials {
        @Override
        public CompletionStage<URI> handshake(Profile profile, boolean supersede, Duration clockOffset) {
            Map<String, String> query = new LinkedHashMap<>();
            String path = url.getPath();
            CanonicalHandshake signed = new CanonicalHandshake(
                    path,
                    profile.audience().isEmpty() ? path : profile.audience(),
                    profile.appVersion(),
                    Long.toString(System.currentTimeMillis() + clockOffset.toMillis()),
                    UUID.randomUUID().toString(),
                    UUID.randomUUID().toString(),
                    key.id(),
                    PROTOCOL,
                    supersede,
                    "",
                    profile.metadata());
            query.put("pv", PROTOCOL);
            query.put("appv", signed.appVersion());
            query.put("ts", signed.timestamp());
            query.put("nonce", signed.nonce());
            query.put("aud", signed.audience());
            query.put("id", signed.streamId());
            query.put("cid", signed.clientId());
            if (supersede) {
                query.put("supersede", "1");
            }
            query.put("signature", signed.signature(key.secret()));
            query.putAll(profile.metadata());
            return CompletableFuture.completedFuture(address(url, query));
        }

        @Override
        public String toString() {
            return key.toString();
        }
    }

    /** A ticket for each connection, from a join by REST. It supersedes by itself. */
    record Tickets(Supplier<? extends CompletionStage<Ticket>> supplier) implements Credentials {
        @Override
        public CompletionStage<URI> handshake(Profile profile, boolean supersede, Duration clockOffset) {
            return supplier.get().thenApply(ticket -> {
                Map<String, String> query = new LinkedHashMap<>();
                query.put("pv", PROTOCOL);
                query.put("appv", profile.appVersion());
                query.put("id", UUID.randomUUID().toString());
                query.put("ticket", ticket.value());
                query.putAll(profile.metadata());
                return address(ticket.url(), query);
            });
        }
    }

    String PROTOCOL = "4";

    private static URI address(URI url, Map<String, String> query) {
        StringBuilder text = new StringBuilder(webSocket(url));
        char separator = url.getRawQuery() == null ? '?' : '&';
        for (Map.Entry<String, String> parameter : query.entrySet()) {
            text.append(separator)
                    .append(encoded(parameter.getKey()))
                    .append('=')
                    .append(encoded(parameter.getValue()));
            separator = '&';
        }
        return URI.create(text.toString());
    }

    /** The address as a WebSocket's; the REST contract's base may be given as it is. */
    private static String webSocket(URI url) {
        String text = url.toString();
        return text.startsWith("http") ? "ws" + text.substring("http".length()) : text;
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** What came of asking for credentials, as the client tells it. */
    static HuddleFailure failure(Throwable failed) {
        return new HuddleFailure(Reason.NO_TICKET, 0, "", HuddleFailure.unwrapped(failed));
    }
}
