package io.huddle.mesh;

import io.huddle.stream.ClientStream;

/** Fired on the node that a client connected to, once its record is confirmed. In order for each client. */
public record ClientConnected(ClientStream stream) {}
