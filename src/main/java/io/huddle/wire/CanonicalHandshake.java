package io.huddle.wire;

/** The text that the signature of a handshake covers. Pure. Source: the handshake of the stream's protocol. */
@org.jspecify.annotations.NullMarked
public final class CanonicalHandshake {
    private CanonicalHandshake() {}
}
