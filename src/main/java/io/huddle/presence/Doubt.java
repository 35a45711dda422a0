package io.huddle.presence;

import java.util.Locale;

/** Why a session became suspect. */
enum Doubt {
    /** No proof of life for two heartbeat intervals. */
    HEARTBEAT_MISSED,
    /** The client's media state changed to failed. */
    MEDIA_FAILED;

    String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
