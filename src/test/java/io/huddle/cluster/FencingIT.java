package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class FencingIT {
    private static final int GENERATIONS = 5;
    private static final int CALLERS = 6;

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);

    /**
     * A network that delivers late, twice and in any order: whatever an older generation still had on its way arrives
     * after the participant has come back on the other node. Elsewhere one such message was enough to remove the user who
     * had just returned.
     */
    @Test
    void commands_ofOldGenerationsInAnyOrder_changeNothing() throws Exception {
        Random random = new Random(Cluster.seed("commands_ofOldGenerations"));
        String room = cluster.room(team, 5, 15);
        Member current = Member.join(api, room, "p");
        for (int generation = 2; generation <= GENERATIONS; generation++) {
            current = Member.join(api.on(cluster.any(random)), room, "p");
        }
        Member newest = current;
        double stale = stale("");
        List<Function<Member, Answer>> commands = List.of(
                Member::renew,
                late -> late.renew(99),
                Member::suspend,
                late -> late.suspend(99),
                Member::leave,
                late -> late.media("failed"));
        List<Function<Member, Answer>> arriving = new ArrayList<>();
        for (long generation = 1; generation < GENERATIONS; generation++) {
            long old = generation;
            commands.forEach(command -> arriving.add(member -> command.apply(member.generation(old))));
        }
        arriving.addAll(List.copyOf(arriving));
        Collections.shuffle(arriving, random);
        int expected = arriving.size();
        Queue<Function<Member, Answer>> queue = new ConcurrentLinkedQueue<>(arriving);
        try (Crew crew = new Crew()) {
            for (int caller = 0; caller < CALLERS; caller++) {
                Member here = newest.on(caller % 2 == 0 ? cluster.one : cluster.two);
                crew.run(() -> {
                    for (var late = queue.poll(); late != null; late = queue.poll()) {
                        late.apply(here).assertProblem(409, "stale-generation");
                        here.renew().assertStatus(200);
                    }
                    return true;
                });
            }
            crew.join();
        }
        assertThat(stale("") - stale).as("stale commands counted").isEqualTo(expected);
        assertThat(Journal.legal(cluster.store, team).types(room))
                .containsExactly(
                        "room.opened",
                        "participant.joined",
                        "participant.reconnected",
                        "participant.reconnected",
                        "participant.reconnected",
                        "participant.reconnected");
    }

    /**
     * Case 8: an old socket's late close removed the rejoined user. The close of generation 1 arrives on the other node
     * after generation 2 has joined; it is refused, counted once, and changes nothing.
     */
    @Test
    void leave_ofTheOldSocket_isRefusedAndCountedOnce() {
        String room = cluster.room(team, 5, 15);
        Member first = Member.join(api, room, "p");
        Member second = Member.join(api.on(cluster.two), room, "p");
        double stale = stale("operation=\"leave\"");
        first.on(cluster.two).leave().assertProblem(409, "stale-generation");
        assertThat(stale("operation=\"leave\"") - stale).isEqualTo(1);
        assertThat(second.on(cluster.one).renew().assertStatus(200).json().getString("state"))
                .isEqualTo("present");
        assertThat(Journal.legal(cluster.store, team).types(room))
                .containsExactly("room.opened", "participant.joined", "participant.reconnected");
    }

    /** A phone goes to the background, and a renewal from before that arrives afterwards, on the other node, twice. */
    @Test
    void renew_delayedBehindSuspend_doesNotUndoIt() {
        String room = cluster.room(team, 5, 15);
        Member member = Member.join(api, room, "p");
        member.renew(1).assertStatus(200);
        member.on(cluster.two).suspend(3).assertStatus(200);
        for (int copy = 0; copy < 2; copy++) {
            for (Node node : cluster.nodes()) {
                assertThat(member.on(node).renew(2).assertStatus(200).json().getString("state"))
                        .isEqualTo("suspended");
            }
        }
        assertThat(member.on(cluster.two).renew(4).assertStatus(200).json().getString("state"))
                .isEqualTo("present");
        assertThat(Journal.legal(cluster.store, team).types(room))
                .containsExactly("room.opened", "participant.joined", "participant.suspended", "participant.recovered");
    }

    /** A client that got no answer in time sends again, and its load balancer tries the other node as well. */
    @Test
    void renewalsAndLeaves_duplicatedOnBothNodes_countAsOne() throws Exception {
        String room = cluster.room(team, 5, 15);
        Member member = Member.join(api, room, "p");
        onBothNodes(20, here -> member.on(here).renew().assertStatus(200));
        onBothNodes(10, here -> member.on(here).leave().assertStatus(204));
        member.renew().assertProblem(410, "session-ended");
        assertThat(Journal.legal(cluster.store, team).types(room))
                .containsExactly("room.opened", "participant.joined", "participant.left");
    }

    private void onBothNodes(int copies, Function<Node, Answer> command) throws Exception {
        try (Crew crew = new Crew()) {
            for (int copy = 0; copy < copies; copy++) {
                Node here = copy % 2 == 0 ? cluster.one : cluster.two;
                crew.run(() -> command.apply(here));
            }
            crew.join();
        }
    }

    private double stale(String label) {
        return cluster.nodes().stream()
                .mapToDouble(node -> cluster.metric(node, "huddle_stale_generation_rejections_total", label))
                .sum();
    }
}
