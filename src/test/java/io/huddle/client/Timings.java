package io.huddle.client;

import java.time.Duration;

/** Timings of tests: those of the protocol, but quick to come back, and shortened where a test waits for one. */
final class Timings {
    static final Timing QUICK = new Timing(
            Timing.PROTOCOL.connect(),
            Timing.PROTOCOL.ping(),
            Timing.PROTOCOL.silence(),
            Timing.PROTOCOL.check(),
            Timing.PROTOCOL.hint(),
            Timing.PROTOCOL.receipt(),
            Timing.PROTOCOL.early(),
            Timing.PROTOCOL.farewell(),
            Duration.ofMillis(20),
            Duration.ofMillis(100));

    private Timings() {}

    static Timing connect(Duration connect) {
        return new Timing(
                connect,
                QUICK.ping(),
                QUICK.silence(),
                QUICK.check(),
                QUICK.hint(),
                QUICK.receipt(),
                QUICK.early(),
                QUICK.farewell(),
                QUICK.firstRetry(),
                QUICK.lastRetry());
    }

    static Timing life(Duration ping, Duration silence, Duration check, Duration hint) {
        return new Timing(
                QUICK.connect(),
                ping,
                silence,
                check,
                hint,
                QUICK.receipt(),
                QUICK.early(),
                QUICK.farewell(),
                QUICK.firstRetry(),
                QUICK.lastRetry());
    }

    static Timing waits(Duration receipt, Duration early) {
        return new Timing(
                QUICK.connect(),
                QUICK.ping(),
                QUICK.silence(),
                QUICK.check(),
                QUICK.hint(),
                receipt,
                early,
                QUICK.farewell(),
                QUICK.firstRetry(),
                QUICK.lastRetry());
    }
}
