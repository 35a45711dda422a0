package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ClocksIT {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration NEAR = Duration.ofSeconds(2);

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);

    /**
     * Case 24: a host that ran three minutes ahead expired everybody as soon as they had joined, and the other took them
     * back: two owners. Only the database's clock counts. While the node that is ahead is the only one that sweeps, a lease
     * lasts as long as it should and no longer, and whoever renews there stays.
     */
    @Test
    void lease_sweptByANodeThatIsThreeMinutesAhead_endsByTheDatabasesClock() {
        assumeTrue(Cluster.hasTwoClocks(), "needs libfaketime: install Debian's package faketime");
        Duration ahead = Duration.between(clock(cluster.one), clock(cluster.two));
        assertThat(ahead).as("the second node's clock before the first's").isCloseTo(Cluster.AHEAD, NEAR);
        String room = cluster.room(team, 1, (int) LEASE.toSeconds());
        Member member = Member.join(api.on(cluster.two), room, "stays");
        Member leaver = Member.join(api, room, "goes");
        assertThat(Duration.between(cluster.now(), member.leaseUntil())).isCloseTo(LEASE, NEAR);
        cluster.pause(cluster.one);
        Awaiting.until(LEASE.plus(NEAR), "an expiry", () -> {
            Answer renewed = member.on(cluster.two).renew().assertStatus(200);
            Instant until = Instant.parse(renewed.json().getString("leaseUntil"));
            assertThat(Duration.between(cluster.now(), until)).isCloseTo(LEASE, NEAR);
            return expiries() == 1;
        });
        cluster.resume(cluster.one);
        Instant at =
                cluster.instant("SELECT at FROM room_event WHERE room_id = ? AND type = 'participant.expired'", room);
        assertThat(at).isBetween(leaver.leaseUntil(), leaver.leaseUntil().plus(Cluster.CONVERGENCE));
        assertThat(Journal.legal(cluster.store, team).types(room))
                .filteredOn(type -> !type.equals("participant.suspected") && !type.equals("participant.recovered"))
                .containsExactly("room.opened", "participant.joined", "participant.joined", "participant.expired");
    }

    private long expiries() {
        return Journal.read(cluster.store, team).count("participant.expired");
    }

    private static Instant clock(Node node) {
        String date = Api.anonymous(node).get("/rooms").header("Date").orElseThrow();
        return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
    }
}
