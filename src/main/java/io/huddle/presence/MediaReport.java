package io.huddle.presence;

import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import org.jspecify.annotations.Nullable;

/** What a client says of its audio. Telemetry: it never touches a lease. */
record MediaReport(
        long generation,
        MediaState state,
        @Nullable Boolean flowing,
        @Nullable Integer rttMs,
        @Nullable Long packetsLost) {
    private static final int LONGEST_RTT_MS = 3_600_000;

    static MediaReport read(RequestBody body) {
        long generation = Generation.read(body);
        MediaState state = MediaState.of(body.text("state", 20))
                .orElseThrow(() ->
                        Refused.invalid("state must be new, connecting, connected, disconnected, failed or closed"));
        Long rtt = body.optionalNumber("rttMs", 0, LONGEST_RTT_MS);
        MediaReport report = new MediaReport(
                generation,
                state,
                body.optionalFlag("flowing"),
                rtt == null ? null : rtt.intValue(),
                body.optionalNumber("packetsLost", 0, Long.MAX_VALUE));
        body.end();
        return report;
    }
}
