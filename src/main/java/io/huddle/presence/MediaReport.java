package io.huddle.presence;

import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import io.huddle.wire.UMediaStateRequest;
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
        MediaState state = state(body.text("state", 20));
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

    static MediaReport of(UMediaStateRequest request) {
        if (request.hasRttMs() && Integer.toUnsignedLong(request.getRttMs()) > LONGEST_RTT_MS) {
            throw Refused.invalid("rttMs must be a whole number from 0 to " + LONGEST_RTT_MS);
        }
        return new MediaReport(
                Generation.of(request.getGeneration()),
                state(request.getState()),
                request.hasFlowing() ? Boolean.valueOf(request.getFlowing()) : null,
                request.hasRttMs() ? Integer.valueOf(request.getRttMs()) : null,
                request.hasPacketsLost() ? Long.valueOf(Integer.toUnsignedLong(request.getPacketsLost())) : null);
    }

    private static MediaState state(String wire) {
        return MediaState.of(wire)
                .orElseThrow(() ->
                        Refused.invalid("state must be new, connecting, connected, disconnected, failed or closed"));
    }
}
