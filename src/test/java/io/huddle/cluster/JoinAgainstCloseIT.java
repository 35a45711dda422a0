package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class JoinAgainstCloseIT {
    private static final int ROUNDS = Integer.getInteger("huddle.rounds", 500);
    private static final int AT_ONCE = 12;
    private static final int WIDEST_GAP_MICROS = 12_000;

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);
    private final Map<String, Integer> outcomes = new ConcurrentHashMap<>();

    /**
     * A room service elsewhere let people into rooms that were being deleted: the join had looked at the room before the
     * delete and wrote after it, and they sat in a room that nobody saw. Here a join, a reconnect and a close of one room
     * run at random distances from both nodes, and the events tell who came first.
     */
    @Test
    void join_racingClose_isNeverAcceptedAfterClosing() throws Exception {
        Random seeds = new Random(Cluster.seed("join_racingClose"));
        Queue<String> rooms = new ConcurrentLinkedQueue<>(cluster.rooms(team, ROUNDS, 5, 15));
        try (Crew crew = new Crew()) {
            for (int worker = 0; worker < AT_ONCE; worker++) {
                Random random = new Random(seeds.nextLong());
                crew.run(() -> {
                    for (String room = rooms.poll(); room != null; room = rooms.poll()) {
                        race(crew, room, random);
                    }
                    return true;
                });
            }
            crew.join();
        }
        System.out.println("outcomes of joins against closes: " + new TreeMap<>(outcomes));
        assertThat(outcomes.keySet()).allMatch(outcome -> outcome.matches("close 200|join 20[01]|join 409|\\w+ 503"));
        assertThat(outcomes.getOrDefault("join 201", 0) + outcomes.getOrDefault("join 200", 0))
                .as("accepted joins")
                .isGreaterThan(ROUNDS / 20);
        assertThat(outcomes.getOrDefault("join 409", 0)).as("refused joins").isGreaterThan(ROUNDS / 20);
        assertThat(cluster.count("SELECT count(*) FROM room_event e JOIN room_event c ON c.room_id = e.room_id"
                        + " AND c.type = 'room.closing' AND c.seq < e.seq"
                        + " WHERE e.type IN ('participant.joined', 'participant.reconnected')"))
                .as("joins after closing")
                .isZero();
        closeWhatAnsweredUnavailable();
        assertThat(Journal.legal(cluster.store, team).count("room.closed")).isEqualTo(ROUNDS);
    }

    private void race(Crew crew, String room, Random random) {
        JsonObject first = Api.json().add("participant", "p-0").build();
        JsonObject second = Api.json().add("participant", "p-1").build();
        String sessions = "/rooms/" + room + "/sessions";
        Answer before = api.on(cluster.any(random)).post(sessions, first);
        count("join", before);
        List<CompletableFuture<Answer>> racing = List.of(
                start(crew, random, room, "close", "/rooms/" + room + "/close", null),
                start(crew, random, room, "join", sessions, first),
                start(crew, random, room, "join", sessions, second));
        racing.forEach(CompletableFuture::join);
    }

    private CompletableFuture<Answer> start(
            Crew crew,
            Random random,
            String room,
            String what,
            String path,
            @org.jspecify.annotations.Nullable JsonObject body) {
        Duration gap = Duration.ofNanos(random.nextInt(WIDEST_GAP_MICROS) * 1_000L);
        Api caller = api.on(cluster.any(random));
        return crew.after(gap, () -> caller.later("POST", path, body)).whenComplete((answer, failed) -> {
            if (answer != null) {
                count(what, answer);
                assertRefusal(room, answer);
            }
        });
    }

    private static void assertRefusal(String room, Answer answer) {
        if (answer.status() == 409) {
            assertThat(answer.isProblem("room-closing") || answer.isProblem("room-closed"))
                    .as("refusal in %s: %s", room, answer)
                    .isTrue();
        }
        if (answer.status() == 503) {
            answer.assertProblem(503, "unavailable");
        }
    }

    private void count(String what, Answer answer) {
        outcomes.merge(what + " " + answer.status(), 1, Integer::sum);
    }

    private void closeWhatAnsweredUnavailable() {
        for (Object room : cluster.store.column("SELECT id FROM room WHERE team = ? AND state <> 'closed'", team)) {
            api.close(String.valueOf(room)).assertStatus(200);
        }
    }
}
