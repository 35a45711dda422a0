package io.huddle.event;

import java.util.Locale;

/** The transitions that are told, one durable event each. Source: the page on rooms and presence. */
public enum EventType {
    ROOM_OPENED,
    ROOM_CLOSING,
    ROOM_CLOSED,
    PARTICIPANT_JOINED,
    PARTICIPANT_RECONNECTED,
    PARTICIPANT_SUSPECTED,
    PARTICIPANT_RECOVERED,
    PARTICIPANT_SUSPENDED,
    PARTICIPANT_LEFT,
    PARTICIPANT_EXPIRED,
    PARTICIPANT_REMOVED;

    /** The name on the wire, for instance {@code participant.joined}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '.');
    }
}
