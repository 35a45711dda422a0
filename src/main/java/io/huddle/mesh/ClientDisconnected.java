package io.huddle.mesh;

import io.huddle.stream.ClientStream;

/** Fired where a client was connected if it truly left: its record is gone, and no other took its place. Once. */
public record ClientDisconnected(ClientStream stream) {}
