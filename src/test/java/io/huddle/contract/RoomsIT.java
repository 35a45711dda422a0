package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Creating, reading, listing and closing rooms. */
class RoomsIT extends Contract {
    @Test
    void create_ofAllFields_answersTheRoomAndWhereItIs() {
        Api ada = participant("ada");
        Answer created = ada.createRoom(
                        unique(),
                        Api.json()
                                .add("team", team)
                                .add("occurrence", "standup/2026-11-30 ü")
                                .add("label", "Ward 7 \"early\"")
                                .add("critical", true)
                                .add("synthetic", true)
                                .add("policy", calm().add("maxParticipants", 7)))
                .assertStatus(201);

        JsonObject room = created.json();
        String id = room.getString("id");
        assertThat(created.header("Location"))
                .contains(site.node().uri("/api/v1/rooms/" + id).toString());
        assertThat(room.getString("team")).isEqualTo(team);
        assertThat(room.getString("occurrence")).isEqualTo("standup/2026-11-30 ü");
        assertThat(room.getString("label")).isEqualTo("Ward 7 \"early\"");
        assertThat(room.getString("state")).isEqualTo("open");
        assertThat(room.getBoolean("critical")).isTrue();
        assertThat(room.getBoolean("synthetic")).isTrue();
        assertThat(room.getString("createdBy")).isEqualTo("ada");
        assertThat(room.getString("createdAt")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(room.getInt("seq")).isOne();
        assertThat(room.getJsonObject("policy").toString())
                .isEqualTo(Api.json()
                        .add("heartbeatSeconds", HEARTBEAT)
                        .add("leaseSeconds", LEASE)
                        .add("maxParticipants", 7)
                        .add("suspendedLeaseSeconds", SUSPENDED_LEASE)
                        .build()
                        .toString());
        assertThat(room).doesNotContainKeys("closingAt", "closedAt");
        assertThat(ada.room(id).assertStatus(200).json()).isEqualTo(room);
    }

    @Test
    void create_ofTheLeast_takesTheDefaults() {
        JsonObject room = participant("ada")
                .createRoom(team, "standup", unique())
                .assertStatus(201)
                .json();

        assertThat(room.getBoolean("critical")).isFalse();
        assertThat(room.getBoolean("synthetic")).isFalse();
        assertThat(room).doesNotContainKey("label");
        JsonObject policy = room.getJsonObject("policy");
        assertThat(policy.getInt("heartbeatSeconds")).isEqualTo(5);
        assertThat(policy.getInt("leaseSeconds")).isEqualTo(15);
        assertThat(policy.getInt("suspendedLeaseSeconds")).isEqualTo(120);
        assertThat(policy.getInt("maxParticipants")).isEqualTo(50);
    }

    @Test
    void create_ofTheSameKeyAndRequest_isOneRoom() {
        // Case 14: create was documented as idempotent and was not.
        Api ada = participant("ada");
        JsonObject created = ada.createRoom("k", standup()).assertStatus(201).json();

        Answer again = ada.createRoom("\"k\"", standup()).assertStatus(200);

        assertThat(again.header("Idempotency-Replayed")).contains("true");
        assertThat(again.json().getString("id")).isEqualTo(created.getString("id"));
        assertThat(eventTypes(created.getString("id"), 0)).containsExactly("room.opened");
        ada.createRoom("k", standup().add("label", "other")).assertProblem(422, "idempotency-key-reused");
        ada.createRoom("k", standup().add("critical", false)).assertProblem(422, "idempotency-key-reused");
    }

    @Test
    void create_ofTheSameKey_byAColleagueWithFieldsInAnotherOrder_isTheSameRoom() {
        String id = participant("ada")
                .createRoom("k", standup().add("critical", true))
                .assertStatus(201)
                .json()
                .getString("id");

        Answer again = participant("bob")
                .createRoom(
                        "k",
                        Api.json()
                                .add("critical", true)
                                .add("occurrence", "standup")
                                .add("team", team));

        assertThat(again.assertStatus(200).json().getString("id")).isEqualTo(id);
        assertThat(again.json().getString("createdBy")).isEqualTo("ada");
    }

    @Test
    void create_inParallelWithOneKey_isOneRoom() {
        List<Answer> answers = createInParallel("k", "k", "k", "k", "k", "k", "k", "k");

        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(1);
        assertThat(answers).filteredOn(answer -> answer.status() == 200).hasSize(7);
        assertThat(answers).extracting(answer -> answer.json().getString("id")).containsOnly(onlyRoom());
    }

    @Test
    void create_inParallelWithKeysOfTheirOwn_endsInOneRoom() {
        List<Answer> answers = createInParallel("a", "b", "c", "d", "e", "f", "g", "h");

        String id = onlyRoom();
        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 201)
                .hasSize(7)
                .allSatisfy(answer -> assertThat(
                                answer.assertProblem(409, "room-exists").json().getString("room"))
                        .isEqualTo(id));
    }

    @Test
    void create_ofAnotherKey_whileARoomIsOpen_namesIt() {
        Api ada = participant("ada");
        String open = ada.createRoom("k1", standup()).assertStatus(201).json().getString("id");

        Answer other = participant("bob").createRoom("k2", standup());

        assertThat(other.assertProblem(409, "room-exists").json().getString("room"))
                .isEqualTo(open);
        ada.createRoom("k2", standup().add("team", team).add("occurrence", "other"))
                .assertStatus(201);
    }

    @Test
    void create_ofAKeyWhoseRoomIsClosed_answersTheClosedRoom() {
        Api ada = participant("ada");
        String id = ada.createRoom("k1", standup()).json().getString("id");
        ada.close(id).assertStatus(200);

        Answer again = ada.createRoom("k1", standup()).assertStatus(200);

        assertThat(again.json().getString("id")).isEqualTo(id);
        assertThat(again.json().getString("state")).isEqualTo("closed");
        assertThat(ada.createRoom("k2", standup()).assertStatus(201).json().getString("id"))
                .isNotEqualTo(id);
    }

    @Test
    void create_whileTheOldRoomIsStillClosing_isANewRoomThatTheOldOnesEndNeverTouches() {
        // Case 13: a create right after a delete returned the dying room, and everybody was kicked out later.
        Api ada = participant("ada");
        String dying = ada.createRoom("k1", standup()).json().getString("id");
        Membership old = join(ada, dying);
        stopHalfClosed(dying);

        String fresh = ada.createRoom("k2", standup()).assertStatus(201).json().getString("id");
        Membership current = join(ada, fresh);

        assertThat(fresh).isNotEqualTo(dying);
        change("UPDATE room SET closing_at = created_at - INTERVAL '1' DAY WHERE id = ?", dying);
        Awaiting.until(
                "the abandoned close finished",
                () -> ada.room(dying).json().getString("state").equals("closed"));
        assertThat(row(old.session()).ending()).isEqualTo("room-closed");
        current.renew().assertStatus(200);
        assertThat(roster(fresh)).containsExactly("ada:present");
        assertThat(ada.room(fresh).json().getString("state")).isEqualTo("open");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "-, idempotency-key-missing",
                "'', idempotency-key-missing",
                "two words, invalid-request",
                "\"open, invalid-request",
                "\"\", invalid-request"
            })
    void create_withoutAProperKey_isRefused(@Nullable String key, String code) {
        Api ada = participant("ada");
        Api caller = key == null ? ada : ada.with("Idempotency-Key", key);

        caller.post("/rooms", standup().build()).assertProblem(400, code);

        assertThat(roomIds()).isEmpty();
    }

    @Test
    void key_ofTheLongestLength_isTakenAndNoLonger() {
        participant("ada").createRoom("k".repeat(256), standup()).assertProblem(400, "invalid-request");
        participant("ada").createRoom("k".repeat(255), standup()).assertStatus(201);
    }

    @ParameterizedTest
    @CsvSource({
        "heartbeatSeconds, 1, 201",
        "heartbeatSeconds, 0, 400",
        "heartbeatSeconds, 31, 400",
        "heartbeatSeconds, -5, 400",
        "leaseSeconds, 15, 201",
        "leaseSeconds, 14, 400",
        "leaseSeconds, 120, 201",
        "leaseSeconds, 121, 400",
        "leaseSeconds, 4294967297, 400",
        "suspendedLeaseSeconds, 30, 201",
        "suspendedLeaseSeconds, 29, 400",
        "suspendedLeaseSeconds, 900, 201",
        "suspendedLeaseSeconds, 901, 400",
        "maxParticipants, 1, 201",
        "maxParticipants, 0, 400",
        "maxParticipants, 9223372036854775807, 400"
    })
    void policy_atAndBeyondItsBounds_isTakenOrRefused(String field, long value, int status) {
        Answer answer = participant("ada")
                .createRoom(unique(), standup().add("policy", Api.json().add(field, value)));

        if (status == 201) {
            answer.assertStatus(201);
        } else {
            answer.assertProblem(400, "invalid-request");
            assertThat(roomIds()).isEmpty();
        }
    }

    @Test
    void policy_withALeaseBelowThreeHeartbeats_isRefusedAlsoWhenOnlyOneIsGiven() {
        Api ada = participant("ada");
        ada.createRoom(
                        unique(),
                        standup()
                                .add(
                                        "policy",
                                        Api.json().add("heartbeatSeconds", 30).add("leaseSeconds", 89)))
                .assertProblem(400, "invalid-request");
        ada.createRoom(unique(), standup().add("policy", Api.json().add("heartbeatSeconds", 6)))
                .assertProblem(400, "invalid-request");
        ada.createRoom(
                        unique(),
                        standup()
                                .add(
                                        "policy",
                                        Api.json().add("heartbeatSeconds", 30).add("leaseSeconds", 90)))
                .assertStatus(201);
    }

    @Test
    void list_ofATeam_isNewestFirstAndFiltered() {
        Api ada = participant("ada");
        String first = ada.createRoom(team, "a", unique()).json().getString("id");
        String second = ada.createRoom(team, "b", unique()).json().getString("id");
        String third = ada.createRoom(team, "c", unique()).json().getString("id");
        ada.close(second).assertStatus(200);
        stopHalfClosed(third);

        assertThat(ids(ada.rooms(team))).containsExactly(third, second, first);
        assertThat(ids(ada.get("/rooms"))).containsExactly(third, second, first);
        assertThat(ids(ada.get("/rooms?state=open"))).containsExactly(first);
        assertThat(ids(ada.get("/rooms?state=closing"))).containsExactly(third);
        assertThat(ids(ada.get("/rooms?state=closed&team=" + team))).containsExactly(second);
        assertThat(ids(ada.get("/rooms?occurrence=b"))).containsExactly(second);
        assertThat(ids(ada.get("/rooms?occurrence=b&state=open"))).isEmpty();
        assertThat(ids(operator().rooms(team))).containsExactly(third, second, first);
        assertThat(ada.rooms(team).json()).doesNotContainKey("next");
    }

    @Test
    void pages_whileRoomsAreCreatedMeanwhile_repeatAndSkipNone() {
        Api ada = participant("ada");
        List<String> before = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            before.add(ada.createRoom(team, "before-" + i, unique()).json().getString("id"));
        }
        Collections.reverse(before);

        List<String> read = new ArrayList<>();
        String next = "";
        int pages = 0;
        do {
            Answer page = ada.get("/rooms?team=" + team + "&limit=3&cursor=" + next);
            read.addAll(ids(page));
            next = page.json().getString("next", "");
            ada.createRoom(team, "meanwhile-" + pages, unique()).assertStatus(201);
            pages++;
        } while (!next.isEmpty());

        assertThat(read).isEqualTo(before);
        assertThat(pages).isEqualTo(3);
    }

    @Test
    void pages_ofRoomsMadeInTheSameInstant_repeatAndSkipNone() {
        Api ada = participant("ada");
        for (int i = 0; i < 5; i++) {
            ada.createRoom(team, "same-" + i, unique()).assertStatus(201);
        }
        site.store()
                .update(
                        "UPDATE room SET created_at = (SELECT max(o.created_at) FROM room o WHERE o.team = ?)"
                                + " WHERE team = ?",
                        team,
                        team);

        Answer first = ada.get("/rooms?limit=2");
        Answer second = ada.get("/rooms?limit=2&cursor=" + first.json().getString("next"));
        Answer third = ada.get("/rooms?limit=2&cursor=" + second.json().getString("next"));

        assertThat(Stream.of(first, second, third).flatMap(page -> ids(page).stream()))
                .containsExactlyInAnyOrderElementsOf(roomIds())
                .hasSize(5);
        assertThat(third.json()).doesNotContainKey("next");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "200"})
    void page_withinItsBounds_isServed(String limit) {
        participant("ada").get("/rooms?limit=" + limit).assertStatus(200);
    }

    @Test
    void close_byItsOpener_isClosingThenClosed() {
        Api ada = participant("ada");
        String room = openRoom(ada);

        JsonObject closed = ada.close(room).assertStatus(200).json();

        assertThat(closed.getString("state")).isEqualTo("closed");
        assertThat(closed.getString("closingAt")).isLessThanOrEqualTo(closed.getString("closedAt"));
        List<JsonObject> events = events(room, 1);
        assertThat(events)
                .extracting(
                        event -> event.getString("type"),
                        event -> event.getString("prior"),
                        event -> event.getString("next"))
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("room.closing", "open", "closing"),
                        org.assertj.core.groups.Tuple.tuple("room.closed", "closing", "closed"));
        assertThat(events.get(1)).doesNotContainKey("reason");
    }

    @Test
    void close_tenTimesInParallel_isOneCloseAndTheSameRoom() {
        // Case 16: the second delete answered 404.
        Api ada = participant("ada");
        Membership member = join(ada, openRoom(ada));
        String path = "/rooms/" + member.room() + "/close";

        List<CompletableFuture<Answer>> calls = IntStream.range(0, 10)
                .mapToObj(i -> ada.later("POST", path, null))
                .toList();
        List<Answer> answers = calls.stream().map(CompletableFuture::join).toList();
        Answer later = ada.close(member.room());

        assertThat(answers).allSatisfy(answer -> {
            answer.assertStatus(200);
            assertThat(answer.json()).isEqualTo(later.json());
        });
        assertThat(eventTypes(member.room(), 2)).containsExactly("room.closing", "participant.removed", "room.closed");
    }

    @Test
    void close_racingWithJoins_letsNobodyIntoTheClosedRoom() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        Api many = integrator();
        List<CompletableFuture<Answer>> joins = IntStream.range(0, 12)
                .mapToObj(i -> many.later(
                        "POST",
                        "/rooms/" + room + "/sessions",
                        Api.json().add("participant", "p" + i).build()))
                .toList();

        ada.close(room).assertStatus(200);

        joins.forEach(join -> {
            Answer answer = join.join();
            assertThat(answer.status() == 201 || answer.isProblem("room-closing") || answer.isProblem("room-closed"))
                    .as("%s", answer)
                    .isTrue();
        });
        assertThat(roster(room)).isEmpty();
        List<JsonObject> events = events(room, 0);
        assertThat(events)
                .extracting(event -> event.getInt("seq"))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, events.size()).boxed().toList());
        List<String> types =
                events.stream().map(event -> event.getString("type")).toList();
        assertThat(types.subList(types.indexOf("room.closing"), types.size())).doesNotContain("participant.joined");
        assertThat(types.get(types.size() - 1)).isEqualTo("room.closed");
        assertThat(Collections.frequency(types, "participant.removed"))
                .isEqualTo(Collections.frequency(types, "participant.joined"));
    }

    private jakarta.json.JsonObjectBuilder standup() {
        return Api.json().add("team", team).add("occurrence", "standup");
    }

    private List<Answer> createInParallel(String... keys) {
        Api ada = participant("ada");
        JsonObject body = standup().build();
        List<CompletableFuture<Answer>> calls = Stream.of(keys)
                .map(key -> ada.with("Idempotency-Key", key).later("POST", "/rooms", body))
                .toList();
        return calls.stream().map(CompletableFuture::join).toList();
    }

    private String onlyRoom() {
        List<String> ids = roomIds();
        assertThat(ids).hasSize(1);
        return ids.get(0);
    }

    private List<String> roomIds() {
        return site.store().column("SELECT id FROM room WHERE team = ?", team).stream()
                .map(String::valueOf)
                .toList();
    }

    private static List<String> ids(Answer page) {
        return page.assertStatus(200).json().getJsonArray("items").getValuesAs(JsonObject.class).stream()
                .map(room -> room.getString("id"))
                .toList();
    }
}
