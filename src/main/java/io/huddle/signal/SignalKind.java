package io.huddle.signal;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a signal is for. */
enum SignalKind {
    OFFER,
    ANSWER,
    CANDIDATE,
    BYE;

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<SignalKind> of(String wire) {
        return Arrays.stream(values()).filter(kind -> kind.wire().equals(wire)).findFirst();
    }
}
