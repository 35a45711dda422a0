package io.huddle.room;

import java.util.Locale;

/** The life of a room; it never goes back. */
public enum RoomState {
    OPEN,
    CLOSING,
    CLOSED;

    /** The name on the wire and in the database. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static RoomState of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }

    /** True for the one step forward that the lifecycle knows. */
    boolean mayBecome(RoomState next) {
        return switch (this) {
            case OPEN -> next == CLOSING;
            case CLOSING -> next == CLOSED;
            case CLOSED -> false;
        };
    }
}
