package io.huddle.client;

/**
 * The key of a service client or device, as an operator made it.
 *
 * @param id the client id, of the form {@code c-…}
 * @param secret signs each handshake and is never sent
 */
public record ClientKey(String id, String secret) {
    /** Without the secret, since what has a text ends up in a log. */
    @Override
    public String toString() {
        return "ClientKey[" + id + "]";
    }
}
