package io.huddle.client;

/** The server broke the protocol: the connection is closed with 4000. */
final class BadPeer extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param reason goes into the close frame; at most 123 bytes */
    BadPeer(String reason) {
        super(reason, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
