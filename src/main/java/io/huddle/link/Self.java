package io.huddle.link;

/** This node, as its links prove it: the number it has now, and its process. Immutable. */
record Self(long number, String process) {}
