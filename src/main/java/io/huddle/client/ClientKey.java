package io.huddle.client;

import java.nio.charset.StandardCharsets;

/**
 * The key of a service client or device, as an operator made it.
 *
 * @param id the client id, of the form {@code c-…}
 * @param secret signs each handshake and is never sent
 */
public record ClientKey(String id, String secret) {
    /** @throws IllegalArgumentException if the id is longer than an id may be */
    public ClientKey {
        if (id.isEmpty() || id.getBytes(StandardCharsets.UTF_8).length > Limits.CLIENT_ID_BYTES) {
            throw new IllegalArgumentException("a client id has 1 to " + Limits.CLIENT_ID_BYTES + " bytes");
        }
    }

    /** Without the secret, since what has a text ends up in a log. */
    @Override
    public String toString() {
        return "ClientKey[" + id + "]";
    }
}
