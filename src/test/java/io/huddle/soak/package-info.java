/**
 * Three nodes under faults for minutes, from a printed seed: {@code src/bench/run soak}. Records what every client saw and
 * judges it afterwards. Only the judgement is a unit test; the rest is run by hand.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.soak;
