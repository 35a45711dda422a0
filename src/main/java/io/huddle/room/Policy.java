package io.huddle.room;

import io.huddle.setting.Setting;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import org.jspecify.annotations.Nullable;

/** How long leases of a room last and how many may be in it. Seconds; bounds as {@link Setting} states them. */
public record Policy(int heartbeatSeconds, int leaseSeconds, int suspendedLeaseSeconds, int maxParticipants) {
    /** Below this many heartbeats a lease would end by one lost renewal. */
    private static final int HEARTBEATS_A_LEASE = 3;

    /**
     * The deployment's defaults with what the request sets.
     *
     * @throws Refused {@code invalid-request} out of bounds
     */
    static Policy read(@Nullable RequestBody body) {
        Policy policy = new Policy(
                member(body, "heartbeatSeconds", Setting.HEARTBEAT_SECONDS),
                member(body, "leaseSeconds", Setting.LEASE_SECONDS),
                member(body, "suspendedLeaseSeconds", Setting.SUSPENDED_LEASE_SECONDS),
                member(body, "maxParticipants", Setting.MAX_PARTICIPANTS));
        if (body != null) {
            body.end();
        }
        if (policy.leaseSeconds < HEARTBEATS_A_LEASE * policy.heartbeatSeconds) {
            throw Refused.invalid("policy.leaseSeconds must be at least three times policy.heartbeatSeconds, which is "
                    + policy.heartbeatSeconds);
        }
        return policy;
    }

    private static int member(@Nullable RequestBody body, String field, Setting setting) {
        Long value = body == null ? null : body.optionalNumber(field, setting.least(), setting.most());
        return value == null ? setting.value() : value.intValue();
    }
}
