package io.huddle.client;

import java.time.Duration;

/**
 * How long the client waits for what. Tests shorten it.
 *
 * @param connect from the ticket or signature to the second ping of the server
 * @param ping between two pings
 * @param silence without a sign of life before the connection counts as lost
 * @param check between two looks at the silence
 * @param hint for a sign of life after {@link HuddleClient#checkConnection()}
 * @param receipt until an unanswered request of the server gets its receipt; the protocol allows three seconds
 * @param early that bytes are kept without a receiver
 * @param farewell for the other side's close frame
 * @param firstRetry before the first reconnect, doubled with each further
 * @param lastRetry which the doubling does not exceed
 */
record Timing(
        Duration connect,
        Duration ping,
        Duration silence,
        Duration check,
        Duration hint,
        Duration receipt,
        Duration early,
        Duration farewell,
        Duration firstRetry,
        Duration lastRetry) {
    static final Timing PROTOCOL = new Timing(
            Duration.ofSeconds(60),
            Duration.ofSeconds(55),
            Duration.ofSeconds(75),
            Duration.ofSeconds(15),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofMillis(500),
            Duration.ofSeconds(30));
}
