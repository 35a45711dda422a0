package io.huddle.presence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One million steps from a seed that is printed; {@code -Dhuddle.seed=} replays one. */
class PresenceSimulationTest {
    private static final int STEPS = 1_000_000;

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void millionSteps_anySeed_keepTheInvariants() {
        long seed = Long.getLong("huddle.seed", RandomGenerator.getDefault().nextLong());
        System.out.println("presence simulation: -Dhuddle.seed=" + seed);

        Map<String, Long> counts = new PresenceSimulation(seed).run(STEPS);

        assertThat(counts)
                .as("what a run must have seen to prove anything, seed %d", seed)
                .containsKeys(
                        "room.opened",
                        "room.closing",
                        "room.closed",
                        "participant.joined",
                        "participant.reconnected",
                        "participant.suspected",
                        "participant.recovered",
                        "participant.suspended",
                        "participant.left",
                        "participant.expired",
                        "participant.removed",
                        "JOIN room-closing",
                        "JOIN room-closed",
                        "JOIN room-full",
                        "JOIN stale-generation",
                        "JOIN session-ended",
                        "RENEW accepted",
                        "RENEW stale-generation",
                        "RENEW lease-expired",
                        "RENEW session-ended",
                        "RENEW room-closing",
                        "RENEW room-closed",
                        "SUSPEND stale-generation",
                        "LEAVE stale-generation",
                        "REMOVE stale-generation",
                        "MEDIA stale-generation",
                        "renewed by batch",
                        "participant.expired shadow",
                        "RENEW of a lapsed lease",
                        "RENEW of another generation",
                        "LEAVE of another generation",
                        "stage shadow",
                        "stage fencing",
                        "stage leases",
                        "stage alerting",
                        "outage forgiven",
                        "clock stepped back");
    }

    @Test
    void sameSeed_twice_isTheSameRun() {
        Map<String, Long> once = new PresenceSimulation(7).run(20_000);
        Map<String, Long> again = new PresenceSimulation(7).run(20_000);
        assertThat(again).isEqualTo(once);
    }
}
