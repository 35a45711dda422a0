package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ExpiryIT {
    private static final int CROWD_ROOMS = 100;
    private static final int A_ROOM = 40;
    private static final int SITE_ROOMS = 400;
    private static final int SITE_PEOPLE = 8;
    private static final Duration PACE = Duration.ofMillis(250);
    private static final int ROUNDS = 8;
    private static final int LEAVERS = 5;

    /** In: seconds that the leases last, how many sessions a room, the team. */
    private static final String INSERT_SESSIONS =
            "INSERT INTO room_session (id, room_id, participant, generation, state, lease_until, proven_at, joined_at,"
                    + " counter, room_open, heartbeat_seconds, lease_seconds, suspended_lease_seconds)"
                    + " SELECT 's-' || substr(r.id, 3, 20) || lpad(n::text, 6, '0'), r.id, 'p-' || n, 1, 'present', until,"
                    + " until, clock_timestamp(), -1, true, 30, 120, 900 FROM (SELECT clock_timestamp()"
                    + " + ? * INTERVAL '1 second' AS until) AS u, generate_series(1, ?) AS t (n), room r WHERE r.team = ?";

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);

    /** Four thousand who stay, so that a sweep has something to pass over. */
    @BeforeEach
    void crowd() {
        String crowd = cluster.team();
        cluster.rooms(crowd, CROWD_ROOMS, 30, 120);
        cluster.store.update(INSERT_SESSIONS, 3_600, A_ROOM, crowd);
    }

    /**
     * Leavers stayed on the rosters for up to half an hour, since one node's timer was to remove them and that node was
     * gone or busy. Among thousands who stay, an expiry is committed within a second of the lease's end: with both nodes,
     * at the moment at which the one that swept is killed, and with the one that is left.
     */
    @Test
    void expiry_amongThousandsWhoStay_isCommittedWithinASecondWhicheverNodeLives() {
        Random random = new Random(Cluster.seed("expiry_amongThousands"));
        for (int round = 0; round < ROUNDS; round++) {
            assertExpireInTime(random, () -> {});
        }
        Node sweeping = cluster.any(random);
        System.out.println("killing " + sweeping.name());
        assertExpireInTime(random, sweeping::kill9);
        for (int round = 0; round < ROUNDS; round++) {
            assertExpireInTime(random, () -> {});
        }
        Journal journal = Journal.legal(cluster.store, team);
        assertThat(journal.count("participant.expired")).isEqualTo((2 * ROUNDS + 1) * LEAVERS);
    }

    /**
     * A whole site lost its network: thousands of leases end in the same second. A sweep that works on them for longer than
     * the outage limit must not look like an outage, or everybody else is refused meanwhile and the dead get a grace. Each
     * expiry is told once, and who renews notices nothing.
     */
    @Test
    void expiry_ofThousandsAtOnce_isNoOutageForTheOthers() throws Exception {
        String site = cluster.team();
        cluster.rooms(site, SITE_ROOMS, 5, 15);
        String room = cluster.room(team, 1, 5);
        double graces = cluster.graces();
        try (Crew crew = new Crew()) {
            List<Heart> hearts = List.of(
                    Heart.of(crew, Member.join(api, room, "p-1"), cluster.one, PACE),
                    Heart.of(crew, Member.join(api, room, "p-2"), cluster.two, PACE));
            long start = System.nanoTime();
            cluster.store.update(INSERT_SESSIONS, 2, SITE_PEOPLE, site);
            Awaiting.until(Duration.ofSeconds(60), "the end of all", () -> expired(site) == SITE_ROOMS * SITE_PEOPLE);
            System.out.println("expired " + SITE_ROOMS * SITE_PEOPLE + " sessions, the last "
                    + cluster.store
                            .column(
                                    "SELECT max(e.at - s.lease_until) FROM room_event e JOIN room_session s"
                                            + " ON s.id = e.session_id JOIN room r ON r.id = e.room_id WHERE r.team = ?",
                                    site)
                            .get(0)
                    + " after its lease's end");
            for (Heart heart : hearts) {
                assertThat(heart.unavailable()).isEmpty();
                assertThat(heart.refusals()).isEmpty();
                assertThat(heart.longestGapSince(start)).isLessThan(Duration.ofSeconds(3));
            }
        }
        assertThat(cluster.graces()).as("graces").isEqualTo(graces);
        assertThat(cluster.count(
                        "SELECT count(DISTINCT e.session_id) FROM room_event e JOIN room r ON r.id = e.room_id"
                                + " WHERE r.team = ? AND e.type = 'participant.expired'",
                        site))
                .isEqualTo(SITE_ROOMS * SITE_PEOPLE);
        Journal.legal(cluster.store, team);
    }

    private long expired(String of) {
        return cluster.count(
                "SELECT count(*) FROM room_event e JOIN room r ON r.id = e.room_id"
                        + " WHERE r.team = ? AND e.type = 'participant.expired'",
                of);
    }

    private void assertExpireInTime(Random random, Runnable meanwhile) {
        String room = cluster.room(team, 5, 15);
        Node living = cluster.nodes().stream().filter(Node::isAlive).findFirst().orElseThrow();
        for (int i = 0; i < LEAVERS; i++) {
            api.on(living).joinAs(room, "p-" + i).assertStatus(201);
        }
        Instant end = cluster.instant(
                "WITH gone AS (UPDATE room_session SET lease_until = clock_timestamp() + ? * INTERVAL '1 millisecond'"
                        + " WHERE room_id = ? RETURNING lease_until) SELECT min(lease_until) FROM gone",
                300 + random.nextInt(300),
                room);
        meanwhile.run();
        Instant seen = Awaiting.value(
                Awaiting.PATIENCE, "expiries", () -> committed(room), found -> found.isAfter(Instant.EPOCH));
        Duration lag = Duration.between(end, seen);
        assertThat(lag).as("lag of %d expiries in %s", LEAVERS, room).isLessThan(Cluster.CONVERGENCE);
    }

    /** The database's clock, in the statement that sees the last of the expiries; the epoch until then. */
    private Instant committed(String room) {
        return cluster.instant(
                "SELECT CASE WHEN count(*) = ? THEN statement_timestamp() ELSE to_timestamp(0) END FROM room_event"
                        + " WHERE room_id = ? AND type = 'participant.expired'",
                LEAVERS,
                room);
    }
}
