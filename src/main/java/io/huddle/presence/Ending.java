package io.huddle.presence;

import java.util.Locale;

/** Why a generation ended. */
enum Ending {
    LEFT,
    EXPIRED,
    ROOM_CLOSED,
    OPERATOR;

    String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Ending of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
