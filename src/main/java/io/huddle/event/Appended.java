package io.huddle.event;

/** An event is about to be durable. Fired inside the transaction; observe it during {@code AFTER_SUCCESS}. */
public record Appended(RoomEvent event) {}
