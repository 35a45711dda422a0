package io.huddle.event;

/**
 * An event is about to be durable. Fired inside the transaction; observe it during {@code AFTER_SUCCESS}.
 *
 * @param synthetic whether its room is left out of what is counted
 */
public record Appended(RoomEvent event, boolean synthetic) {
    /** Of a room that counts. */
    public Appended(RoomEvent event) {
        this(event, false);
    }
}
