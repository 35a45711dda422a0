package io.huddle.security;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Gets the next access token from the provider by a refresh token (RFC 6749, 6), which the platform's client does not. Blocks
 * for twenty seconds at most, ten of them for the first question of all; safe for use by any thread.
 */
final class TokenRenewal {
    private static final int TIMEOUT_MS = 5_000;
    private static final int LONGEST_ANSWER = 262_144;

    private final OpenId provider;

    /** Asked of the provider once. */
    private volatile @Nullable URI endpoint;

    TokenRenewal(OpenId provider) {
        this.provider = provider;
    }

    /**
     * The session with its next tokens; empty if the provider refuses, as it does when the session there is over.
     *
     * @throws IOException if the provider does not answer, or not in its way
     */
    Optional<PageSession> renewed(PageSession session) throws IOException {
        String form = Map.of(
                        "grant_type", "refresh_token",
                        "refresh_token", session.refresh(),
                        "client_id", provider.client(),
                        "client_secret", provider.secret())
                .entrySet()
                .stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        HttpURLConnection connection = open(endpoint());
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/x-www-form-urlencoded");
        try (OutputStream out = connection.getOutputStream()) {
            out.write(form.getBytes(StandardCharsets.US_ASCII));
        }
        int status = connection.getResponseCode();
        if (status == HttpURLConnection.HTTP_BAD_REQUEST || status == HttpURLConnection.HTTP_UNAUTHORIZED) {
            return Optional.empty();
        }
        JsonObject answer = read(connection, status);
        String access = answer.getString("access_token", "");
        try {
            // A provider that keeps the refresh token does not repeat it.
            return Optional.of(PageSession.of(access, answer.getString("refresh_token", session.refresh())));
        } catch (IllegalArgumentException unusable) {
            throw new IOException(unusable.getMessage(), unusable);
        }
    }

    private URI endpoint() throws IOException {
        URI known = endpoint;
        if (known == null) {
            HttpURLConnection connection = open(provider.discovery());
            JsonObject description = read(connection, connection.getResponseCode());
            try {
                known = URI.create(description.getString("token_endpoint"));
            } catch (RuntimeException missing) {
                throw new IOException("the provider's description names no token_endpoint", missing);
            }
            endpoint = known;
        }
        return known;
    }

    private static HttpURLConnection open(URI address) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
        connection.setConnectTimeout(TIMEOUT_MS);
        connection.setReadTimeout(TIMEOUT_MS);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestProperty("Accept", "application/json");
        return connection;
    }

    private static JsonObject read(HttpURLConnection connection, int status) throws IOException {
        if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException("the provider answered " + status);
        }
        try (InputStream in = connection.getInputStream();
                JsonReader reader =
                        Json.createReader(new java.io.ByteArrayInputStream(in.readNBytes(LONGEST_ANSWER)))) {
            return reader.readObject();
        } catch (RuntimeException unreadable) {
            throw new IOException("the provider's answer is no JSON", unreadable);
        }
    }
}
