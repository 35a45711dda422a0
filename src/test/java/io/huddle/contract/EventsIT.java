package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Sse;
import io.huddle.harness.Tokens;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The events of a room, by query and live. */
class EventsIT extends Contract {
    @Test
    void events_ofARoom_haveTheDocumentedShape() {
        Membership ada = joined("ada");
        ada.media("failed").assertStatus(204);

        List<JsonObject> events = events(ada.room(), 0);

        JsonObject opened = events.get(0);
        assertThat(opened.keySet()).containsExactlyInAnyOrder("id", "room", "seq", "type", "next", "at");
        JsonObject suspected = events.get(2);
        assertThat(suspected.keySet())
                .containsExactlyInAnyOrder(
                        "id",
                        "room",
                        "seq",
                        "type",
                        "session",
                        "participant",
                        "generation",
                        "prior",
                        "next",
                        "reason",
                        "at");
        assertThat(suspected.getString("room")).isEqualTo(ada.room());
        assertThat(suspected.getString("at")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(events(ada.room(), 0)).as("asked again").isEqualTo(events);
        assertThat(events).extracting(event -> event.getString("id")).doesNotHaveDuplicates();
    }

    @Test
    void query_inPages_leadsToTheEnd() {
        Membership ada = joined("ada");
        ada.leave().assertStatus(204);
        Api api = ada.api();

        Answer first = api.get("/rooms/" + ada.room() + "/events?limit=2");
        assertThat(first.json().getJsonArray("items")).hasSize(2);
        assertThat(first.json().getInt("next")).isEqualTo(2);
        Answer second = api.get("/rooms/" + ada.room() + "/events?limit=2&after=2");
        assertThat(second.json().getJsonArray("items")).hasSize(1);
        assertThat(second.json().getInt("next")).isEqualTo(3);
        Answer end = api.events(ada.room(), 3).assertStatus(200);
        assertThat(end.json().getJsonArray("items")).isEmpty();
        assertThat(end.json().getInt("next")).isEqualTo(3);
        assertThat(end.json()).doesNotContainKey("snapshot");
    }

    /** A reader that saw more than the room knows comes from before a failover that lost it, and would wait for ever. */
    @Test
    void query_aheadOfTheRoom_isASnapshotToStartFrom() {
        Membership ada = joined("ada");
        JsonObject page = ada.api().events(ada.room(), 99).assertStatus(200).json();
        assertThat(page.getJsonArray("items")).isEmpty();
        assertThat(page.getInt("next")).isEqualTo(2);
        assertThat(page.getJsonObject("snapshot").getInt("seq")).isEqualTo(2);
    }

    @Test
    void query_beforeTheOldestKeptEvent_isASnapshotMarkedAsSuch() {
        Membership ada = joined("ada");
        Membership bob = join(participant("bob"), ada.room());
        bob.leave().assertStatus(204);
        trim(ada.room(), 3);

        for (long after : new long[] {0, 2}) {
            JsonObject page =
                    ada.api().events(ada.room(), after).assertStatus(200).json();
            JsonObject snapshot = page.getJsonObject("snapshot");
            assertThat(snapshot.getInt("seq")).isEqualTo(4);
            assertThat(page.getInt("next")).isEqualTo(4);
            assertThat(page.getJsonArray("items")).isEmpty();
            assertThat(snapshot.getJsonArray("entries").getValuesAs(JsonObject.class))
                    .extracting(entry -> entry.getString("participant"))
                    .containsExactly("ada");
        }
        assertThat(ada.api().events(ada.room(), 3).json()).doesNotContainKey("snapshot");
        assertThat(eventTypes(ada.room(), 3)).containsExactly("participant.left");
    }

    @Test
    void query_afterAllEventsAreGone_isASnapshotUnlessTheReaderHasThemAll() {
        Membership ada = joined("ada");
        trim(ada.room(), 2);

        assertThat(ada.api()
                        .events(ada.room(), 1)
                        .json()
                        .getJsonObject("snapshot")
                        .getInt("seq"))
                .isEqualTo(2);
        assertThat(ada.api().events(ada.room(), 2).json()).doesNotContainKey("snapshot");
    }

    @Test
    void snapshot_holdsALapsedSessionThatIsNotYetAbsent_withItsLease() {
        Membership ada = joined("ada");
        trim(ada.room(), 2);

        site.withoutSweep(() -> {
            lapse(ada.session());
            Answer page = ada.api().events(ada.room(), 0);
            JsonObject entry = page.json()
                    .getJsonObject("snapshot")
                    .getJsonArray("entries")
                    .getJsonObject(0);
            assertThat(entry.getString("session")).isEqualTo(ada.session());
            assertThat(entry.getString("leaseUntil"))
                    .isLessThan(page.json().getJsonObject("snapshot").getString("asOf"));
        });
    }

    @Test
    void numbers_underParallelCommands_haveNoGapAndNoDuplicate() {
        String room = openRoom(participant("ada"));
        Api server = integrator();
        List<CompletableFuture<Answer>> joins = IntStream.range(0, 24)
                .mapToObj(i -> server.later(
                        "POST",
                        "/rooms/" + room + "/sessions",
                        Api.json().add("participant", "p" + i % 8).build()))
                .toList();
        joins.forEach(join -> assertThat(join.join().status()).isIn(200, 201));

        List<JsonObject> events = events(room, 0);

        assertThat(events)
                .extracting(event -> event.getInt("seq"))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 25).boxed().toList());
        assertThat(events).extracting(event -> event.getString("at")).isSorted();
        assertThat(seq(room)).isEqualTo(25);
    }

    @Test
    void stream_fromTheStart_replaysAndGoesOnLive() {
        Membership ada = joined("ada");
        try (Sse stream = ada.api().subscribe(ada.room())) {
            assertThat(stream.await(2)).extracting(Sse.Event::id).containsExactly("1", "2");
            Awaiting.until("a keep-alive", () -> stream.comments() >= 2);

            ada.suspend().assertStatus(200);
            ada.leave().assertStatus(204);

            assertThat(stream.await(4)).extracting(Sse.Event::json).isEqualTo(events(ada.room(), 0));
            assertThat(stream.lastId()).isEqualTo("4");
        }
    }

    @Test
    void stream_resumedAfterTheLastEventId_tellsTheRestOnly() {
        Membership ada = joined("ada");
        ada.suspend().assertStatus(200);
        ada.renew().assertStatus(200);

        try (Sse stream = ada.api().subscribe(ada.room(), 2)) {
            assertThat(stream.await(2))
                    .extracting(event -> event.json().getString("type"))
                    .containsExactly("participant.suspended", "participant.recovered");
        }
        try (Sse stream = ada.api().with("Last-Event-ID", "3").subscribe(ada.room() + "")) {
            ada.leave().assertStatus(204);
            assertThat(stream.await(2)).extracting(Sse.Event::id).containsExactly("4", "5");
        }
    }

    @Test
    void stream_resumedBeforeTheOldestKeptEvent_beginsWithASnapshot() {
        Membership ada = joined("ada");
        ada.suspend().assertStatus(200);
        trim(ada.room(), 2);

        try (Sse stream = ada.api().subscribe(ada.room(), 1)) {
            Sse.Event first = stream.await(1).get(0);
            assertThat(first.type()).isEqualTo("snapshot");
            assertThat(first.id()).isEqualTo("3");
            assertThat(first.json().getInt("seq")).isEqualTo(3);
            assertThat(first.json().getJsonArray("entries").getJsonObject(0).getString("state"))
                    .isEqualTo("suspended");

            ada.leave().assertStatus(204);
            assertThat(stream.await(2).get(1).id()).isEqualTo("4");
        }
    }

    @Test
    void watcher_ofAReconnect_canTellTheLateLeftFromTheNewerJoin() {
        // Case 18: "left" arrived after the newer "joined" and took the user off the screen. Order is kept per room,
        // and
        // number and generation let a consumer keep the user whatever the transport does.
        Membership ada = joined("ada");
        try (Sse one = ada.api().subscribe(ada.room());
                Sse other = operator().subscribe(ada.room())) {
            ada.leave().assertStatus(204);
            Membership again = ada.again();
            ada.leave().assertProblem(409, "stale-generation");
            again.renew().assertStatus(200);

            for (Sse stream : List.of(one, other)) {
                List<Sse.Event> told = stream.await(4);
                assertThat(told).extracting(Sse.Event::id).containsExactly("1", "2", "3", "4");
                assertThat(told.get(2).json().getString("type")).isEqualTo("participant.left");
                assertThat(told.get(2).json().getInt("generation")).isOne();
                assertThat(told.get(3).json().getString("type")).isEqualTo("participant.joined");
                assertThat(told.get(3).json().getInt("generation")).isEqualTo(2);
            }
        }
    }

    @Test
    void stream_endsWithItsToken() {
        Membership ada = joined("ada");
        // A verifier allows for 30 s of skew, a running stream for none.
        String token = Tokens.of("ada")
                .groups("participant")
                .teams(team)
                .expiresIn(Duration.ofSeconds(3))
                .signed();
        try (Sse stream = Api.of(site.node(), token).subscribe(ada.room())) {
            stream.await(2);
            Awaiting.until("the stream ended with its token", stream::isEnded);
        }
    }

    @Test
    void stream_ofAClosingRoom_tellsTheEnd() {
        Membership ada = joined("ada");
        try (Sse stream = ada.api().subscribe(ada.room())) {
            stream.await(2);
            ada.api().close(ada.room()).assertStatus(200);
            assertThat(stream.await(5))
                    .extracting(event -> event.json().getString("type"))
                    .endsWith("room.closing", "participant.removed", "room.closed");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "x", "1.5", "9223372036854775808", "1;DROP TABLE room", "0x1"})
    void lastEventId_thatIsNoNumber_isRefused(String id) {
        Membership ada = joined("ada");

        ada.api()
                .with("Accept", "text/event-stream")
                .with("Last-Event-ID", id)
                .get("/rooms/" + ada.room() + "/events")
                .assertProblem(400, "invalid-request");
    }

    @Test
    void accept_decidesBetweenQueryAndStream() {
        Membership ada = joined("ada");
        for (String accept : new String[] {"*/*", "application/json", "application/json, text/event-stream;q=0.1"}) {
            Answer answer =
                    ada.api().with("Accept", accept).events(ada.room(), 0).assertStatus(200);
            assertThat(answer.header("Content-Type").orElse("")).startsWith("application/json");
        }
        ada.api().with("Accept", "text/html").events(ada.room(), 0).assertProblem(406, "not-acceptable");
    }

    private void trim(String room, int upTo) {
        assertThat(site.store().update("DELETE FROM room_event WHERE room_id = ? AND seq <= ?", room, upTo))
                .isPositive();
    }
}
