package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 3, unit = TimeUnit.MINUTES)
class StoppedIT {
    private static final int MEMBERS = 12;
    private static final Duration PACE = Duration.ofMillis(200);
    private static final Duration LEASE = Duration.ofSeconds(5);

    /** The server ends an idle transaction after one second; what is left is the rest of the statement and a renewal. */
    private static final Duration STALL = Duration.ofMillis(1_500);

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);

    @AfterEach
    void mend() {
        cluster.execute("DROP TRIGGER IF EXISTS slow_renewal ON room_session");
    }

    /**
     * A host that was frozen with a renewal batch half written held its row locks, the other nodes' renewals waited for
     * them, and everybody's leases ran out. Here a node is stopped while its batch holds its rows: the other node's own
     * members notice nothing, members known to both wait for a moment, members of the stopped node alone expire in time,
     * and when the node goes on it brings nobody back.
     */
    @Test
    void node_stoppedInTheMiddleOfABatch_neitherStallsTheOtherNorRevivesAnybody() throws Exception {
        String room = cluster.room(team, 1, (int) LEASE.toSeconds());
        String slowRoom = cluster.room(team, 1, (int) LEASE.toSeconds());
        double graces = cluster.graces();
        try (Crew crew = new Crew()) {
            List<Heart> stopped = new ArrayList<>();
            List<Heart> others = new ArrayList<>();
            List<Heart> shared = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                stopped.add(Heart.of(crew, Member.join(api, room, "stopped-" + i), cluster.one, PACE));
                others.add(Heart.of(crew, Member.join(api, room, "other-" + i), cluster.two, PACE));
                Member both = Member.join(api, room, "shared-" + i);
                Heart.of(crew, both, cluster.one, PACE);
                shared.add(Heart.of(crew, both, cluster.two, PACE));
            }
            stopped.add(Heart.of(crew, Member.join(api, slowRoom, "slow"), cluster.one, PACE));
            slowDown("slow");
            stopInABatch();
            long stop = System.nanoTime();
            Awaiting.until(
                    LEASE.plusSeconds(5),
                    "the expiry of the stopped node's members",
                    () -> expired() == stopped.size());
            System.out.println("longest gaps while stopped: others " + longest(others, stop) + ", shared "
                    + longest(shared, stop));
            assertThat(longest(others, stop))
                    .as("stall of the other node's members")
                    .isLessThan(STALL);
            assertThat(longest(shared, stop))
                    .as("stall of the members of both nodes")
                    .isLessThan(STALL);
            assertThat(lateExpiries()).isEmpty();
            mend();
            cluster.resume(cluster.one);
            cluster.one.awaitReady();
            for (Heart heart : stopped) {
                Awaiting.until(
                        "the stopped member is told", () -> !heart.refusals().isEmpty());
                assertThat(heart.refusals()).containsExactly("410 lease-expired");
            }
            assertThat(shared).allMatch(heart -> heart.refusals().isEmpty());
            assertThat(others).allMatch(heart -> heart.refusals().isEmpty());
        }
        assertThat(cluster.graces()).as("graces").isEqualTo(graces);
        Journal journal = Journal.legal(cluster.store, team);
        assertThat(journal.count("participant.expired")).isEqualTo(MEMBERS + 1);
        assertThat(journal.count("participant.reconnected")).isZero();
    }

    /** A renewal of this participant takes so long that a batch can be caught in the middle. */
    private void slowDown(String participant) {
        cluster.execute("CREATE OR REPLACE FUNCTION slow_renewal() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_sleep(0.25); RETURN NEW; END $$");
        cluster.execute("CREATE TRIGGER slow_renewal BEFORE UPDATE ON room_session FOR EACH ROW"
                + " WHEN (NEW.participant = '" + participant + "') EXECUTE FUNCTION slow_renewal()");
    }

    /** Stops the first node once its batch sleeps in the database; tries again if the batch was through before the stop. */
    private void stopInABatch() {
        Awaiting.until(Duration.ofSeconds(30), "a stop in the middle of a batch", () -> {
            if (backends("wait_event = 'PgSleep'") == 0) {
                return false;
            }
            cluster.pause(cluster.one);
            if (backends("state = 'active' AND wait_event = 'PgSleep' OR state = 'idle in transaction'"
                            + " AND query LIKE '%UPDATE room_session%'")
                    > 0) {
                return true;
            }
            cluster.resume(cluster.one);
            return false;
        });
    }

    private long backends(String condition) {
        return cluster.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND pid <> pg_backend_pid() AND (" + condition + ")");
    }

    private long expired() {
        return Journal.read(cluster.store, team).count("participant.expired");
    }

    private List<?> lateExpiries() {
        return cluster.store.column(
                "SELECT s.participant || ' ' || (e.at - s.lease_until) FROM room_event e JOIN room_session s"
                        + " ON s.id = e.session_id JOIN room r ON r.id = e.room_id WHERE r.team = ?"
                        + " AND e.type = 'participant.expired' AND e.at - s.lease_until > INTERVAL '1 second'",
                team);
    }

    private static Duration longest(List<Heart> hearts, long since) {
        return hearts.stream()
                .map(heart -> heart.longestGapSince(since))
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }
}
