package io.huddle.security;

import jakarta.json.Json;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.time.Instant;
import java.util.Base64;

/**
 * What a signed-in page has at its provider. Immutable.
 *
 * @param access what REST and streams take; the page keeps it in memory
 * @param ends when the provider ends it
 * @param refresh what gets the next one, never told to the page; empty where the provider gives none
 */
record PageSession(String access, Instant ends, String refresh) {
    /**
     * A session by its tokens.
     *
     * @throws IllegalArgumentException if the access token is no JWT with an end, as REST needs one; never quotes it
     */
    static PageSession of(String access, String refresh) {
        return new PageSession(
                access,
                Instant.ofEpochSecond(claims(access).getJsonNumber("exp").longValue()),
                refresh);
    }

    /** The claims of a token, unverified: for what the page shows of its owner, and for when to renew it. */
    static JsonObject claims(String token) {
        String[] parts = token.split("\\.", -1);
        if (parts.length == 3) {
            try (JsonReader reader = Json.createReader(
                    new ByteArrayInputStream(Base64.getUrlDecoder().decode(parts[1])))) {
                JsonObject claims = reader.readObject();
                if (claims.get("exp") instanceof JsonNumber) {
                    return claims;
                }
            } catch (RuntimeException unreadable) {
                throw new IllegalArgumentException("the provider's access token is no readable JWT");
            }
        }
        throw new IllegalArgumentException("the provider's access token is no JWT with an end; Huddle needs one");
    }

    /** As a text for the seal. */
    String text() {
        return Json.createObjectBuilder()
                .add("access", access)
                .add("ends", ends.getEpochSecond())
                .add("refresh", refresh)
                .build()
                .toString();
    }

    static PageSession parse(String text) {
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            JsonObject json = reader.readObject();
            return new PageSession(
                    json.getString("access"),
                    Instant.ofEpochSecond(json.getJsonNumber("ends").longValue()),
                    json.getString("refresh"));
        }
    }
}
