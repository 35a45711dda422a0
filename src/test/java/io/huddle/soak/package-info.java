/**
 * Three nodes under faults for minutes, from a printed seed: {@code src/bench/run soak}. Records what every client saw and
 * judges it afterwards. And two drills in a fixed order, each with its bounds: a release ({@code rolling}) and the loss of a
 * node and of Redis ({@code outage}). Only the judgement of the soak is a unit test; the rest is run by hand.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.soak;
