package io.huddle.presence;

/** What can happen to a session. */
enum Trigger {
    JOIN,
    RENEW,
    SUSPEND,
    DOUBT,
    LEAVE,
    EXPIRE,
    ROOM_CLOSES,
    REMOVE
}
