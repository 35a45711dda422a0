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
    private static final int MEMBERS = 6;
    private static final Duration PACE = Duration.ofMillis(250);
    private static final Duration LEASE = Duration.ofSeconds(5);

    /** Nothing holds the rows of the other node's own members: a hiccup of a loaded machine at most. */
    private static final Duration STALL = Duration.ofMillis(1_500);

    /**
     * The database ends an idle transaction after one second. Around it: the rest of the slowed statement, a wait for the
     * row that runs into its timeout, a turn of the caller, and the slowed renewal that then succeeds.
     */
    private static final Duration STALL_OF_HELD_ROWS = Duration.ofMillis(2_500);

    private static final Duration HELD = Duration.ofMillis(700);

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
        double graces = cluster.graces();
        try (Crew crew = new Crew()) {
            List<Heart> stopped = new ArrayList<>();
            List<Heart> others = new ArrayList<>();
            List<Heart> shared = new ArrayList<>();
            for (Member member : members(room, "stopped-")) {
                stopped.add(Heart.of(crew, member, cluster.one, PACE));
            }
            for (Member member : members(room, "other-")) {
                others.add(Heart.of(crew, member, cluster.two, PACE));
            }
            for (Member member : members(room, "shared-")) {
                Heart.of(crew, member, cluster.one, PACE);
                shared.add(Heart.of(crew, member, cluster.two, PACE));
            }
            slowDown("shared-0");
            long stop = stopInABatch();
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
                    .isLessThan(STALL_OF_HELD_ROWS);
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
        assertThat(journal.count("participant.expired")).isEqualTo(MEMBERS);
        assertThat(journal.count("participant.reconnected")).isZero();
    }

    private List<Member> members(String room, String prefix) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            members.add(Member.join(api, room, prefix + i));
        }
        return members;
    }

    /** A renewal of this participant takes so long that a batch can be caught in the middle. */
    private void slowDown(String participant) {
        cluster.execute("CREATE OR REPLACE FUNCTION slow_renewal() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM pg_sleep(0.25); RETURN NEW; END $$");
        cluster.execute("CREATE TRIGGER slow_renewal BEFORE UPDATE ON room_session FOR EACH ROW"
                + " WHEN (NEW.participant = '" + participant + "') EXECUTE FUNCTION slow_renewal()");
    }

    /**
     * Stops the first node while a batch sleeps in the database, and makes sure that it was the first node's: its
     * transaction then stays open without a statement. Tries again otherwise.
     *
     * @return when it was stopped
     */
    private long stopInABatch() {
        return Awaiting.value(Duration.ofSeconds(40), "a stop in the middle of a batch", this::tryToStop, at -> at > 0);
    }

    private long tryToStop() {
        if (backends("wait_event = 'PgSleep'") == 0) {
            return 0;
        }
        long stop = System.nanoTime();
        cluster.pause(cluster.one);
        while (System.nanoTime() - stop < HELD.toNanos()) {
            if (backends("state = 'idle in transaction' AND query LIKE '%UPDATE room_session%'"
                            + " AND state_change < clock_timestamp() - INTERVAL '200 milliseconds'")
                    > 0) {
                return stop;
            }
        }
        cluster.resume(cluster.one);
        return 0;
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
