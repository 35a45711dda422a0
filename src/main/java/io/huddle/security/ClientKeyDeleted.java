package io.huddle.security;

/** A client's key is gone. Fired after the deletion has committed; the client's live stream ends by it. */
public record ClientKeyDeleted(String client) {}
