package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 4, unit = TimeUnit.MINUTES)
class OutagesIT {
    private static final int MEMBERS = 8;
    private static final Duration OUTAGE = Duration.ofSeconds(20);
    private static final Duration PACE = Duration.ofMillis(500);
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(10);
    private static final Duration SOON = Duration.ofSeconds(6);
    private static final Duration RECOVERY = Duration.ofSeconds(20);

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);
    private final String room = cluster.room(team, 1, 5);

    /**
     * The database was down for longer than a lease; with its return every sweep found every lease lapsed and emptied
     * every roster, while the people were talking. The outage is forgiven, once for all nodes; whoever goes on renewing is
     * still in, under the same generation, and whoever really left goes one lease later.
     */
    @Test
    void database_stoppedForFourLeases_losesNobodyWhoKeepsTrying() throws Exception {
        double graces = cluster.graces();
        try (Crew crew = new Crew()) {
            List<Heart> hearts = members(crew);
            Member gone = Member.join(api, room, "gone-without-goodbye");
            List<String> before = history();
            long stop = System.nanoTime();
            cluster.postgres.stop();
            try {
                for (Node node : cluster.nodes()) {
                    Awaiting.until("readiness down on " + node.name(), () -> ready(node) == 503);
                }
                Awaiting.until(Duration.ofSeconds(30), "the end of the outage", () -> {
                    assertThat(ready(cluster.one)).isEqualTo(503);
                    assertThat(live(cluster.one))
                            .as("a restart would mend nothing")
                            .isEqualTo(200);
                    cluster.nodes().forEach(this::assertUnavailableSoon);
                    return System.nanoTime() - stop > OUTAGE.toNanos();
                });
            } finally {
                cluster.postgres.start();
            }
            long start = System.nanoTime();
            assertAllBack(hearts, start);
            assertThat(history()).as("what was told before the outage").startsWith(before.toArray(new String[0]));
            assertThat(cluster.graces() - graces).as("graces for one outage").isEqualTo(1);
            awaitGone(gone);
        }
        assertOnlyGoneExpired();
    }

    /**
     * All nodes were restarted at once and took longer than a lease. The rooms, their members and what was told of them
     * are in the database; the outage is forgiven by whichever node comes first and not again by the second.
     */
    @Test
    void nodes_bothKilledForLongerThanALease_loseNobodyWhoKeepsTrying() throws Exception {
        try (Crew crew = new Crew()) {
            List<Heart> hearts = members(crew);
            Member gone = Member.join(api, room, "gone-without-goodbye");
            List<String> before = history();
            cluster.nodes().forEach(Node::kill9);
            long killed = System.nanoTime();
            Awaiting.holds(
                    Duration.ofSeconds(25),
                    "nothing is told while no node runs",
                    () -> history().equals(before));
            cluster.nodes().forEach(Node::restart);
            cluster.nodes().forEach(Node::awaitReady);
            System.out.println("both nodes were down for "
                    + Duration.ofNanos(System.nanoTime() - killed).toSeconds() + " s");
            assertAllBack(hearts, killed);
            assertThat(history()).startsWith(before.toArray(new String[0]));
            assertThat(cluster.graces()).as("graces for one outage").isEqualTo(1);
            awaitGone(gone);
        }
        assertOnlyGoneExpired();
    }

    /**
     * One node lost its way to the database, first refused, then swallowed; when it was back it believed that everybody
     * had been unable to renew and lengthened dead leases. Only silence of all sweeps is an outage: the node that goes on
     * keeps its members, no grace is given, and the other answers 503 until it is back.
     */
    @Test
    void node_cutOffFromTheDatabase_answers503AndGivesNoGrace() throws Exception {
        double graces = cluster.graces();
        String roomy = cluster.room(team, 5, 60);
        try (Crew crew = new Crew()) {
            List<Heart> here = new ArrayList<>();
            List<Heart> cut = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                here.add(Heart.of(crew, Member.join(api, room, "here-" + i), cluster.one, PACE));
                cut.add(Heart.of(crew, Member.join(api, roomy, "cut-" + i), cluster.two, PACE));
            }
            Member dead = Member.join(api, room, "gone-without-goodbye");
            long start = System.nanoTime();
            cluster.wire.cut();
            assertCutOff();
            awaitGone(dead);
            cluster.wire.mend();
            long mended = System.nanoTime();
            assertBack(cut, mended);
            cluster.wire.stall();
            assertCutOff();
            cluster.wire.mend();
            long again = System.nanoTime();
            assertBack(cut, again);
            for (Heart heart : here) {
                assertThat(heart.longestGapSince(start))
                        .as("gap of %s on the node that went on", heart.member().participant())
                        .isLessThan(Duration.ofSeconds(3));
                assertThat(heart.refusals()).isEmpty();
            }
            assertAnswers(cut);
        }
        assertThat(cluster.graces()).as("graces").isEqualTo(graces);
        assertOnlyGoneExpired();
    }

    private void assertCutOff() {
        Awaiting.until("the cut node unready", () -> ready(cluster.two) == 503);
        for (int round = 0; round < 2; round++) {
            assertUnavailableSoon(cluster.two);
            api.roster(room).assertStatus(200);
        }
    }

    private void assertBack(List<Heart> hearts, long since) {
        Awaiting.until(RECOVERY, "the cut node ready", cluster.two::isReady);
        for (Heart heart : hearts) {
            Awaiting.until(RECOVERY, "a renewal on the mended node", () -> heart.hasBeatenSince(since));
        }
    }

    private List<Heart> members(Crew crew) {
        List<Heart> hearts = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            hearts.add(Heart.of(crew, Member.join(api, room, "p-" + i), i % 2 == 0 ? cluster.one : cluster.two, PACE));
        }
        return hearts;
    }

    private void assertAllBack(List<Heart> hearts, long since) {
        for (Heart heart : hearts) {
            Awaiting.until(RECOVERY, "a renewal after the outage", () -> heart.hasBeatenSince(since));
            assertThat(heart.refusals()).as("refusals of %s", heart.member()).isEmpty();
        }
        assertAnswers(hearts);
        for (Node node : cluster.nodes()) {
            Awaiting.until(RECOVERY, "readiness of " + node.name(), node::isReady);
        }
        assertThat(api.roster(room).assertStatus(200).json().getJsonArray("entries"))
                .hasSizeGreaterThanOrEqualTo(MEMBERS);
    }

    private static void assertAnswers(List<Heart> hearts) {
        for (Heart heart : hearts) {
            assertThat(heart.longestAnswer()).as("slowest renewal").isLessThan(LONGEST_ANSWER);
            heart.unavailable().forEach(OutagesIT::assertUnavailable);
        }
    }

    private static void assertUnavailable(Answer answer) {
        answer.assertProblem(503, "unavailable");
        assertThat(answer.header("Retry-After")).as("Retry-After of %s", answer).isPresent();
    }

    /** One call of each kind: reads, writes, by entity and by plain statement. */
    private void assertUnavailableSoon(Node node) {
        Api here = api.on(node);
        assertUnavailableSoon(() -> here.room(room));
        assertUnavailableSoon(() -> here.joinAs(room, "new"));
        assertUnavailableSoon(() -> here.createRoom(team, "standup", "key"));
        assertUnavailableSoon(() -> here.events(room, 0));
    }

    private static void assertUnavailableSoon(Supplier<Answer> call) {
        long start = System.nanoTime();
        Answer answer = call.get();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertThat(took).as("time of %s", answer).isLessThan(SOON);
        assertUnavailable(answer);
    }

    private void awaitGone(Member gone) {
        Awaiting.until(
                Duration.ofSeconds(12),
                "the expiry of who left",
                () -> Journal.read(cluster.store, team).all().stream()
                        .anyMatch(told -> told.type().equals("participant.expired")
                                && gone.session().equals(told.session())));
    }

    private void assertOnlyGoneExpired() {
        Journal journal = Journal.legal(cluster.store, team);
        assertThat(journal.count("participant.expired")).isEqualTo(1);
        assertThat(journal.count("participant.reconnected")).isZero();
        assertThat(journal.count("participant.left") + journal.count("participant.removed"))
                .isZero();
    }

    private List<String> history() {
        return cluster.store.column("SELECT id FROM room_event WHERE room_id = ? ORDER BY seq", room).stream()
                .map(String::valueOf)
                .toList();
    }

    private static int live(Node node) {
        return Api.anonymous(node).atRoot().get("/health/live").status();
    }

    private static int ready(Node node) {
        return Api.anonymous(node).atRoot().get("/health/ready").status();
    }
}
