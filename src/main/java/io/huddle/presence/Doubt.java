package io.huddle.presence;

import java.util.Locale;

/** Why a session became suspect. */
enum Doubt {
    /** No proof of life for two heartbeat intervals. */
    HEARTBEAT_MISSED,
    /** The client's media state changed to failed. */
    MEDIA_FAILED,
    /** The stream of the current generation ended. */
    STREAM_CLOSED,
    /** The node that had the stream of the current generation is dead. */
    NODE_LOST;

    String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
