package io.huddle.stream;

/** Fired once a stream is public, on the node it is connected to. */
public record StreamOpened(ClientStream stream) {}
