package io.huddle.client;

import io.huddle.wire.ClientMessage;

/** One message on its way to the socket, encoded once. */
class Frame {
    private final byte[] bytes;

    Frame(ClientMessage message) {
        this.bytes = message.toByteArray();
    }

    final byte[] bytes() {
        return bytes;
    }

    final int size() {
        return bytes.length;
    }

    /** It is its turn. False if nobody wants it sent any more. */
    boolean starts() {
        return true;
    }

    /** The socket has taken it, or never will since the connection is over. Called once, without a lock. */
    void leaves() {}
}
