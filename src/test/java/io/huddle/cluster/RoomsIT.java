package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RoomsIT {
    private static final int COPIES = 10;
    private static final int OCCURRENCES = 20;

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);

    /**
     * Case 14: create was documented as idempotent and was not. The first creates of one key run at once on both nodes:
     * one of them makes the room, all get it.
     */
    @Test
    void create_firstOfOneKeyOnBothNodesAtOnce_makesOneRoom() {
        for (int occurrence = 0; occurrence < OCCURRENCES; occurrence++) {
            String name = "standup-" + occurrence;
            List<Answer> answers = onBothNodes("/rooms", create(name), Map.of("Idempotency-Key", "key"));
            assertThat(answers.stream().filter(answer -> answer.status() == 201))
                    .as("creations in %s", answers)
                    .hasSize(1);
            assertThat(answers.stream().filter(answer -> answer.status() == 200))
                    .as("replays in %s", answers)
                    .hasSize(COPIES - 1)
                    .allMatch(answer ->
                            answer.header("Idempotency-Replayed").orElse("").equals("true"));
            assertThat(ids(answers)).hasSize(1);
            assertThat(rooms(name)).isEqualTo(1);
        }
        api.createRoom(
                        "key",
                        Api.json()
                                .add("team", team)
                                .add("occurrence", "standup-0")
                                .add("label", "other"))
                .assertProblem(422, "idempotency-key-reused");
        assertThat(Journal.legal(cluster.store, team).count("room.opened")).isEqualTo(OCCURRENCES);
    }

    /** Two people press create at the same time, on different nodes: both end in one room. */
    @Test
    void create_ofDifferentKeysAtOnce_makesOneRoomAndNamesItToTheOthers() {
        for (int occurrence = 0; occurrence < OCCURRENCES; occurrence++) {
            String name = "standup-" + occurrence;
            List<CompletableFuture<Answer>> racing = new ArrayList<>();
            for (int copy = 0; copy < COPIES; copy++) {
                racing.add(on(copy).with("Idempotency-Key", "key-" + copy).later("POST", "/rooms", create(name)));
            }
            List<Answer> answers = racing.stream().map(CompletableFuture::join).toList();
            List<Answer> made =
                    answers.stream().filter(answer -> answer.status() == 201).toList();
            assertThat(made).as("creations in %s", answers).hasSize(1);
            String room = made.get(0).json().getString("id");
            for (Answer answer : answers) {
                if (answer.status() != 201) {
                    assertThat(answer.assertProblem(409, "room-exists").json().getString("room"))
                            .isEqualTo(room);
                }
            }
            assertThat(rooms(name)).isEqualTo(1);
        }
        Journal.legal(cluster.store, team);
    }

    /**
     * Case 13: create right after delete returned the dying room, and everyone was kicked later. A slow step holds the old
     * room in closing; the next one is there at once, and the old one's end does not touch it.
     */
    @Test
    void create_whileTheOldRoomIsClosing_makesANewOneThatOutlivesTheOldOnesEnd() {
        JsonObject old =
                api.createRoom(team, "standup", "first").assertStatus(201).json();
        Member member = Member.join(api, old.getString("id"), "p");
        cluster.refuseClosed(old.getString("id"));
        api.close(old.getString("id")).assertProblem(503, "unavailable");
        Api there = api.on(cluster.two);
        assertThat(there.room(old.getString("id")).json().getString("state")).isEqualTo("closing");
        there.joinAs(old.getString("id"), "late").assertProblem(409, "room-closing");
        JsonObject next =
                there.createRoom(team, "standup", "second").assertStatus(201).json();
        assertThat(next.getString("id")).isNotEqualTo(old.getString("id"));
        Member again = Member.join(api, next.getString("id"), "p");
        assertThat(there.createRoom(team, "standup", "first")
                        .assertStatus(200)
                        .json()
                        .getString("id"))
                .isEqualTo(old.getString("id"));
        cluster.allowClosed();
        awaitState(old.getString("id"), "closed");
        assertThat(api.room(next.getString("id")).json().getString("state")).isEqualTo("open");
        again.on(cluster.two).renew().assertStatus(200);
        member.renew().assertProblem(409, "room-closed");
        assertThat(Journal.legal(cluster.store, team).types(next.getString("id")))
                .containsExactly("room.opened", "participant.joined");
    }

    /** Case 16: the second delete answered 404. Ten closes at once on two nodes all answer the one closed room. */
    @Test
    void close_tenTimesAtOnceOnBothNodes_answersTheSameClosedRoom() {
        for (int round = 0; round < OCCURRENCES; round++) {
            String room = cluster.room(team, 5, 15);
            Member.join(api, room, "p");
            Set<String> answers = onBothNodes("/rooms/" + room + "/close", null, Map.of()).stream()
                    .map(answer -> answer.assertStatus(200).json())
                    .map(closed -> closed.getString("id")
                            + closed.getString("state")
                            + closed.getString("closedAt")
                            + closed.getInt("seq"))
                    .collect(Collectors.toSet());
            assertThat(answers).hasSize(1).allMatch(answer -> answer.startsWith(room + "closed"));
        }
        Journal journal = Journal.legal(cluster.store, team);
        assertThat(journal.count("room.closing")).isEqualTo(OCCURRENCES);
        assertThat(journal.count("room.closed")).isEqualTo(OCCURRENCES);
        assertThat(journal.count("participant.removed")).isEqualTo(OCCURRENCES);
    }

    /** Case 20: a node without local members deleted the shared room under the fifty who were on the other. */
    @Test
    void leave_ofTheLastMemberOnOneNode_leavesThoseOnTheOtherUntouched() {
        String room = cluster.room(team, 5, 15);
        Member last = Member.join(api, room, "last-here");
        List<Member> there = new ArrayList<>();
        for (int i = 0; i < COPIES; i++) {
            there.add(Member.join(api.on(cluster.two), room, "there-" + i));
        }
        last.leave().assertStatus(204);
        there.forEach(member -> member.renew().assertStatus(200));
        for (Node node : cluster.nodes()) {
            JsonObject roster = api.on(node).roster(room).assertStatus(200).json();
            assertThat(roster.getJsonArray("entries")).as("%s", roster).hasSize(COPIES);
        }
        assertThat(api.room(room).json().getString("state")).isEqualTo("open");
        assertThat(Journal.legal(cluster.store, team).count("participant.left")).isEqualTo(1);
    }

    private void awaitState(String room, String state) {
        Awaiting.until(
                "room " + state, () -> api.room(room).json().getString("state").equals(state));
    }

    private List<Answer> onBothNodes(String path, @Nullable JsonObject body, Map<String, String> headers) {
        List<CompletableFuture<Answer>> racing = new ArrayList<>();
        for (int copy = 0; copy < COPIES; copy++) {
            Api caller = on(copy);
            for (Map.Entry<String, String> header : headers.entrySet()) {
                caller = caller.with(header.getKey(), header.getValue());
            }
            racing.add(caller.later("POST", path, body));
        }
        return racing.stream().map(CompletableFuture::join).toList();
    }

    private Api on(int copy) {
        return api.on(copy % 2 == 0 ? cluster.one : cluster.two);
    }

    private JsonObject create(String occurrence) {
        return Api.json().add("team", team).add("occurrence", occurrence).build();
    }

    private static Set<String> ids(List<Answer> answers) {
        return answers.stream().map(answer -> answer.json().getString("id")).collect(Collectors.toSet());
    }

    private long rooms(String occurrence) {
        return cluster.count("SELECT count(*) FROM room WHERE team = ? AND occurrence = ?", team, occurrence);
    }
}
