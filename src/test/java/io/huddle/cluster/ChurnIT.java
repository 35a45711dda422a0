package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ChurnIT {
    private static final int SLOTS = 10;
    private static final int PEOPLE = 6;
    private static final int CALLERS = 10;
    private static final Duration CHURN = Duration.ofSeconds(Integer.getInteger("huddle.churn-seconds", 25));

    /** What a command may answer; a 503 says that a row was busy for too long and nothing was done. */
    private static final Map<String, String> EXPECTED = Map.of(
            "join", "200|201|409 room-clos(ing|ed)|503 unavailable",
            "renew", "200|409 (stale-generation|room-clos(ing|ed))|410 (lease-expired|session-ended)|503 unavailable",
            "suspend", "200|409 (stale-generation|room-clos(ing|ed))|410 (lease-expired|session-ended)|503 unavailable",
            "media", "204|409 (stale-generation|room-clos(ing|ed))|410 (lease-expired|session-ended)|503 unavailable",
            "leave", "204|409 (stale-generation|room-clos(ing|ed))|410 (lease-expired|session-ended)|503 unavailable",
            "stale", "409 stale-generation|503 unavailable",
            "close", "200|503 unavailable");

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);
    private final AtomicReferenceArray<String> rooms = new AtomicReferenceArray<>(SLOTS);
    private final Map<String, Member> members = new ConcurrentHashMap<>();
    private final Set<String> joined = ConcurrentHashMap.newKeySet();
    private final Set<String> left = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> outcomes = new ConcurrentHashMap<>();

    /**
     * Sweeps, renewals, joins, leaves and closes take the same rows. Elsewhere a deadlock among them reached the callers,
     * a sweep and a leave both told that somebody had gone, and counters went negative. Here the leases are cut to within
     * a few hundred milliseconds of now all the time, so that both nodes' sweeps meet every other command at the very
     * moment a lease ends.
     */
    @Test
    void sweep_racingEveryCommand_leavesALegalHistory() throws Exception {
        Random seeds = new Random(Cluster.seed("sweep_racingEveryCommand"));
        long deadlocks = cluster.deadlocks();
        for (int slot = 0; slot < SLOTS; slot++) {
            rooms.set(slot, cluster.room(team, 1, 5));
        }
        long end = System.nanoTime() + CHURN.toNanos();
        try (Crew crew = new Crew()) {
            for (int caller = 0; caller < CALLERS; caller++) {
                Random random = new Random(seeds.nextLong());
                crew.run(() -> {
                    while (System.nanoTime() < end) {
                        step(random);
                    }
                    return true;
                });
            }
            crew.run(() -> {
                while (System.nanoTime() < end) {
                    assertCommittedInOrder();
                }
                return true;
            });
            crew.join();
        }
        System.out.println("outcomes of the churn: " + new TreeMap<>(outcomes) + ", deadlocks broken: "
                + (cluster.deadlocks() - deadlocks));
        endAllLeases();
        Journal journal = Journal.legal(cluster.store, team);
        assertThat(journal.count("participant.expired")).as("expiries").isGreaterThan(SLOTS);
        assertThat(journal.count("room.closed")).as("closes").isPositive();
        assertToldOnce(journal);
        assertExpiredInTime();
        assertThat(cluster.deadlocks())
                .as("deadlocks, with one lock order everywhere")
                .isEqualTo(deadlocks);
    }

    private void step(Random random) {
        int slot = random.nextInt(SLOTS);
        String room = rooms.get(slot);
        String participant = "p-" + random.nextInt(PEOPLE);
        Member known = members.get(room + participant);
        int dice = random.nextInt(1_000);
        if (known == null || dice < 120) {
            join(random, room, participant);
        } else if (dice < 600) {
            count("renew", known.on(cluster.any(random)).renew());
        } else if (dice < 660) {
            count("suspend", known.on(cluster.any(random)).suspend());
        } else if (dice < 730) {
            leave(known.on(cluster.any(random)));
        } else if (dice < 780) {
            count("media", known.on(cluster.any(random)).media(random.nextBoolean() ? "failed" : "connected"));
        } else if (dice < 830 && known.generation() > 1) {
            count(
                    "stale",
                    known.generation(known.generation() - 1)
                            .on(cluster.any(random))
                            .renew());
        } else if (dice < 836) {
            close(random, slot, room);
        } else {
            endSoon(known, random);
        }
    }

    private void join(Random random, String room, String participant) {
        Api caller = api.on(cluster.any(random));
        Answer answer = caller.joinAs(room, participant);
        count("join", answer);
        if (answer.status() < 300) {
            Member member = Member.of(caller, answer);
            assertThat(joined.add(member.session() + " " + member.generation()))
                    .as("a generation of its own for %s", answer)
                    .isTrue();
            members.merge(room + participant, member, (old, now) -> now.generation() > old.generation() ? now : old);
        }
    }

    private void leave(Member member) {
        Answer answer = member.leave();
        count("leave", answer);
        if (answer.status() == 204) {
            left.add(member.session() + " " + member.generation());
        }
    }

    private void close(Random random, int slot, String room) {
        count("close", api.on(cluster.any(random)).close(room));
        rooms.set(slot, cluster.room(team, 1, 5));
    }

    /** Never lengthens a lease and never revives one. */
    private void endSoon(Member member, Random random) {
        cluster.store.update(
                "UPDATE room_session SET lease_until = clock_timestamp() + ? * INTERVAL '1 millisecond'"
                        + " WHERE id = ? AND state <> 'absent' AND lease_until > clock_timestamp() + INTERVAL '1 second'",
                random.nextInt(300),
                member.session());
    }

    private void count(String what, Answer answer) {
        String outcome = answer.status() < 300
                ? String.valueOf(answer.status())
                : answer.status() + " " + answer.json().getString("code", "");
        outcomes.merge(what + " " + outcome, 1, Integer::sum);
        assertThat(outcome).as("answer to %s: %s", what, answer).matches(EXPECTED.getOrDefault(what, ""));
    }

    /** One statement sees one moment: what is committed by then must be all numbers up to the room's own. */
    private void assertCommittedInOrder() {
        assertThat(cluster.store.column(
                        "SELECT r.id FROM room r LEFT JOIN room_event e ON e.room_id = r.id WHERE r.team = ?"
                                + " GROUP BY r.id, r.seq HAVING r.seq <> count(e.seq) OR r.seq <> coalesce(max(e.seq), 0)",
                        team))
                .as("rooms whose committed numbers have a gap")
                .isEmpty();
    }

    private void endAllLeases() {
        cluster.store.update(
                "UPDATE room_session s SET lease_until = clock_timestamp() FROM room r WHERE r.id = s.room_id"
                        + " AND r.team = ? AND s.state <> 'absent' AND s.lease_until > clock_timestamp()",
                team);
        Awaiting.until(
                "the end of all sessions",
                () -> cluster.count(
                                "SELECT count(*) FROM room_session s JOIN room r ON r.id = s.room_id"
                                        + " WHERE r.team = ? AND s.state <> 'absent'",
                                team)
                        == 0);
    }

    private void assertToldOnce(Journal journal) {
        Map<String, Integer> told = new ConcurrentHashMap<>();
        journal.all().forEach(one -> {
            String which = one.session() + " " + one.generation();
            if (one.lets()) {
                told.merge("in " + which, 1, Integer::sum);
            } else if (one.type().equals("participant.left")) {
                told.merge("out " + which, 1, Integer::sum);
            }
        });
        joined.forEach(which -> assertThat(told.get("in " + which))
                .as("joins told of %s", which)
                .isEqualTo(1));
        left.forEach(which -> assertThat(told.get("out " + which))
                .as("leaves told of %s", which)
                .isEqualTo(1));
    }

    /** An ended session's lease keeps the instant at which it ran out; the beat that found it is the event's time. */
    private void assertExpiredInTime() {
        assertThat(cluster.store.column(
                        "SELECT s.id || ' ' || (e.at - s.lease_until) FROM room_session s JOIN room r ON r.id = s.room_id"
                                + " JOIN room_event e ON e.session_id = s.id AND e.generation = s.generation"
                                + " AND e.type = 'participant.expired'"
                                + " WHERE r.team = ? AND e.at - s.lease_until > INTERVAL '1 second'",
                        team))
                .as("expiries later than the convergence interval")
                .isEmpty();
    }
}
