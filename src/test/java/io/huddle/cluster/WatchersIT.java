package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import io.huddle.harness.Node;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class WatchersIT {
    private static final Duration PACE = Duration.ofMillis(200);
    private static final int RETURNS = 20;
    private static final int CALLERS = 4;
    private static final int BURST = 60;

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);

    /**
     * Case 15: somebody who left and rejoined within a second was shown to some and not to others, for the rest of the
     * meeting. Every 200 ms one comes back on one node and leaves on the other; two watchers on different nodes follow, and
     * both see at each number what the server's roster said at that number.
     */
    @Test
    void watchers_ofLeaveAndRejoinEvery200Ms_equalTheRosterAtTheSameNumber() throws Exception {
        Random random = new Random(Cluster.seed("watchers_ofLeaveAndRejoin"));
        String room = cluster.room(team, 5, 15);
        Member stays = Member.join(api, room, "stays");
        long generation = 0;
        try (Watcher first = Watcher.of(api, room);
                Watcher second = Watcher.of(api.on(cluster.two), room);
                Crew crew = new Crew()) {
            for (int turn = 0; turn < RETURNS; turn++) {
                CompletableFuture<Boolean> pace = crew.after(PACE, () -> CompletableFuture.completedFuture(true));
                Node here = cluster.any(random);
                Member back = Member.join(api.on(here), room, "comes-and-goes");
                assertThat(back.generation()).isEqualTo(generation + 1);
                generation = back.generation();
                assertSamePicture(room, here, first, second);
                back.on(cluster.other(here)).leave().assertStatus(204);
                assertSamePicture(room, cluster.other(here), first, second);
                stays.on(here).renew().assertStatus(200);
                pace.join();
            }
            first.assertInOrder();
            second.assertInOrder();
        }
        Journal journal = Journal.legal(cluster.store, team);
        assertThat(journal.count("participant.joined")).isEqualTo(RETURNS + 1);
        assertThat(journal.count("participant.left")).isEqualTo(RETURNS);
        assertThat(cluster.count("SELECT count(*) FROM room_session WHERE room_id = ?", room))
                .isEqualTo(2);
    }

    /**
     * Case 18: left without joined, or left behind the newer joined, when events of two nodes overtook each other. Four
     * callers come and go as fast as they can on both nodes; whoever follows from either node gets every number once, in
     * order.
     */
    @Test
    void events_ofABurstOnBothNodes_comeInOrderOnBothNodes() throws Exception {
        Random seeds = new Random(Cluster.seed("events_ofABurst"));
        String room = cluster.room(team, 5, 15);
        try (Watcher first = Watcher.of(api, room);
                Watcher second = Watcher.of(api.on(cluster.two), room);
                Crew crew = new Crew()) {
            for (int caller = 0; caller < CALLERS; caller++) {
                String participant = "p-" + caller;
                Random random = new Random(seeds.nextLong());
                crew.run(() -> {
                    for (int turn = 0; turn < BURST; turn++) {
                        Member member = Member.join(api.on(cluster.any(random)), room, participant);
                        if (random.nextBoolean()) {
                            member.on(cluster.any(random)).leave().assertStatus(204);
                        }
                    }
                    return true;
                });
            }
            crew.join();
            assertSamePicture(room, cluster.one, first, second);
            first.assertInOrder();
            second.assertInOrder();
            assertThat(first.events()).isEqualTo(second.events());
        }
        Journal.legal(cluster.store, team);
    }

    private void assertSamePicture(String room, Node node, Watcher first, Watcher second) {
        JsonObject roster = api.on(node).roster(room).assertStatus(200).json();
        long seq = roster.getInt("seq");
        assertThat(first.picture(seq)).as("first watcher at %s", roster).isEqualTo(Watcher.picture(roster));
        assertThat(second.picture(seq)).as("second watcher at %s", roster).isEqualTo(Watcher.picture(roster));
    }
}
