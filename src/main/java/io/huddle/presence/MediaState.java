package io.huddle.presence;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The best RTCPeerConnectionState of all peers of a client. */
enum MediaState {
    NEW,
    CONNECTING,
    CONNECTED,
    DISCONNECTED,
    FAILED,
    CLOSED;

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<MediaState> of(String wire) {
        return Arrays.stream(values())
                .filter(state -> state.wire().equals(wire))
                .findFirst();
    }
}
