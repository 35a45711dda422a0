package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.StreamClient;
import io.huddle.harness.TcpProxy;
import io.huddle.wire.DEventsRequest;
import io.huddle.wire.DEventsResponse;
import io.huddle.wire.RoomEvent;
import io.huddle.wire.USubscribeResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Rooms followed over the stream: at least once, in order, and nobody left behind. */
class StreamEventsIT extends StreamContract {
    @Test
    void rooms_moreThanAStreamMayFollow_areRefusedAndTheOthersStay() {
        StreamClient client = client("integrator", team);
        String first = openRoom(integrator());
        client.call(subscription(first), USubscribeResponse.class);
        for (int i = 1; i < 32; i++) {
            client.call(subscription(openRoom(integrator())), USubscribeResponse.class);
        }

        assertThat(client.fails(subscription(openRoom(integrator()))).error())
                .startsWith("invalid-request: ")
                .contains("32");
        client.call(subscription(first), USubscribeResponse.class);
        assertThat(client.isClosed()).isFalse();
    }

    @Test
    void silentLeaver_isSuspectAndThenAbsent_inEverybodysPicture() throws Exception {
        // Case 1: who left without a goodbye stayed in the list for 50 s.
        Api api = participant("ada");
        String room = openRoom(
                api, aRoom().add("policy", Api.json().add("heartbeatSeconds", 1).add("leaseSeconds", 5)));
        Member bob = member("bob", room);
        bob.membership().suspend().assertStatus(200);
        Watcher watcher = Watcher.of(bob.stream(), room);
        Answer joined = api.join(room);
        try (TcpProxy proxy = TcpProxy.to(site.node().port())) {
            keep(StreamClient.to(proxy.port())
                    .ticket(StreamClient.ticket(joined))
                    .connect());
            proxy.stall();

            watcher.awaitType("participant.expired");

            assertThat(watcher.types())
                    .containsExactly("participant.joined", "participant.suspected", "participant.expired");
            List<RoomEvent> events = watcher.events();
            assertThat(between(events.get(0), events.get(1))).isLessThan(Duration.ofSeconds(5));
            assertThat(between(events.get(0), events.get(2))).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
            assertThat(watcher.picture()).containsExactly("bob:suspended:1");
        }
    }

    @Test
    void watchers_oneOfThemSlow_endWithTheServersRoster() {
        // Case 3: closing a tab left the person in some watchers' lists.
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        Member bob = member("bob", room);
        Watcher quick = Watcher.of(client("integrator", team), room);
        Watcher other = Watcher.of(bob.stream(), room);
        StreamClient crawling = client("participant", team);
        Watcher slow = new Watcher();
        crawling.answerLater(
                DEventsRequest.class,
                request -> CompletableFuture.supplyAsync(
                        () -> slow.take(request), CompletableFuture.delayedExecutor(900, TimeUnit.MILLISECONDS)));
        slow.take(crawling.call(subscription(room), USubscribeResponse.class).getSnapshot());

        ada.membership().suspend().assertStatus(200);
        ada.membership().renew().assertStatus(200);
        ada.membership().leave().assertStatus(204);

        long seq = seq(room);
        for (Watcher watcher : List.of(quick, other, slow)) {
            watcher.awaitSeq(seq);
            assertThat(watcher.picture()).isEqualTo(rosterPicture(room)).containsExactly("bob:present:1");
        }
        assertThat(seq(room)).isEqualTo(seq);
    }

    @Test
    void participantInGrace_whoJoinsAgain_isOneEntry() {
        // Case 11: reconnect plus rejoin showed the person twice.
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        Watcher watcher = Watcher.of(client("integrator", team), room);
        ada.stream().abort();
        watcher.awaitType("participant.suspected");
        assertThat(watcher.picture()).containsExactly("ada:suspect:1");

        Member again = member("ada", room);

        watcher.awaitType("participant.reconnected");
        assertThat(again.session()).isEqualTo(ada.session());
        assertThat(watcher.picture()).containsExactly("ada:present:2");
    }

    @Test
    void delayedDelivery_ofAReconnect_keepsTheOrder() {
        // Case 18: the news of a leaver came after the news that the same person was back.
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        StreamClient stream = client("integrator", team);
        Watcher watcher = new Watcher();
        AtomicInteger deliveries = new AtomicInteger();
        stream.answerLater(DEventsRequest.class, request -> {
            DEventsResponse taken = watcher.take(request);
            return deliveries.incrementAndGet() == 1
                    ? CompletableFuture.supplyAsync(
                            () -> taken, CompletableFuture.delayedExecutor(1_500, TimeUnit.MILLISECONDS))
                    : CompletableFuture.completedFuture(taken);
        });
        watcher.take(stream.call(subscription(room), USubscribeResponse.class).getSnapshot());

        ada.membership().leave().assertStatus(204);
        Member again = member("ada", room);

        watcher.awaitSeq(seq(room));
        assertThat(watcher.types()).containsExactly("participant.left", "participant.joined");
        assertThat(watcher.picture()).containsExactly("ada:present:" + again.generation());
    }

    @Test
    void clientThatWasAway_isReplayedWhatItMissed() {
        // Case 19: a client that came back kept seeing people who had left meanwhile.
        String room = openRoom(participant("ada"));
        Member bob = member("bob", room);
        StreamClient first = client("integrator", team);
        Watcher watcher = Watcher.of(first, room);
        watcher.awaitSeq(seq(room));
        first.abort();

        bob.membership().leave().assertStatus(204);
        StreamClient second = client("integrator", team);
        second.answer(DEventsRequest.class, watcher::take);
        second.call(subscription(room, watcher.seq()), USubscribeResponse.class);

        watcher.awaitType("participant.left");
        assertThat(watcher.picture()).isEmpty();
    }

    @Test
    void clientThatWasAwayForTooLong_getsASnapshotInPlaceOfTheEvents() {
        // Case 19, where the events are no longer kept.
        String room = openRoom(participant("ada"));
        Member bob = member("bob", room);
        bob.membership().leave().assertStatus(204);
        Member cyd = member("cyd", room);
        site.store().update("DELETE FROM room_event WHERE room_id = ? AND seq < ?", room, seq(room));
        StreamClient stream = client("integrator", team);
        Watcher watcher = new Watcher();
        stream.answer(DEventsRequest.class, watcher::take);

        stream.call(subscription(room, 1), USubscribeResponse.class);

        DEventsRequest sent = stream.await(DEventsRequest.class, 1).get(0);
        assertThat(sent.hasSnapshot()).isTrue();
        assertThat(sent.getEventsList()).isEmpty();
        assertThat(watcher.picture()).containsExactly("cyd:present:" + cyd.generation());
    }

    @Test
    void events_acknowledgedInPart_areSentAgainFromThere() {
        String room = openRoom(participant("ada"));
        Member ada = member("ada", room);
        ada.membership().suspend().assertStatus(200);
        StreamClient stream = client("integrator", team);
        AtomicInteger deliveries = new AtomicInteger();
        stream.answer(
                DEventsRequest.class,
                request -> DEventsResponse.newBuilder()
                        .setSeq(deliveries.incrementAndGet() == 1 ? 1 : last(request))
                        .build());

        stream.call(subscription(room, 0), USubscribeResponse.class);

        List<DEventsRequest> sent = stream.await(DEventsRequest.class, 2);
        assertThat(sent.get(0).getEventsList()).extracting(RoomEvent::getSeq).containsExactly(1, 2, 3);
        assertThat(sent.get(1).getEventsList()).extracting(RoomEvent::getSeq).containsExactly(2, 3);
    }

    @Test
    void acknowledgement_ofWhatWasNotSent_endsTheStream() {
        String room = openRoom(participant("ada"));
        StreamClient stream = client("integrator", team);
        stream.answer(
                DEventsRequest.class,
                request ->
                        DEventsResponse.newBuilder().setSeq(last(request) + 1).build());

        stream.call(subscription(room, 0), USubscribeResponse.class);

        assertThat(stream.awaitClose().code()).isEqualTo(4000);
    }

    @Test
    void clientThatAnswersEventsByErrors_losesItsStream() {
        String room = openRoom(participant("ada"));
        StreamClient stream = client("integrator", team);

        stream.call(subscription(room, 0), USubscribeResponse.class);

        assertThat(stream.awaitClose().code()).isEqualTo(4000);
        assertThat(stream.requests(DEventsRequest.class)).hasSize(3);
    }

    @Test
    void secondSubscription_toTheSameRoom_replacesTheFirst() {
        String room = openRoom(participant("ada"));
        StreamClient stream = client("integrator", team);
        stream.answer(
                DEventsRequest.class,
                request -> DEventsResponse.newBuilder().setSeq(last(request)).build());
        stream.call(subscription(room), USubscribeResponse.class);
        stream.call(subscription(room), USubscribeResponse.class);

        Member ada = member("ada", room);
        ada.membership().leave().assertStatus(204);

        Awaiting.until("all of it came", () -> seqs(stream).contains((int) seq(room)));
        assertThat(seqs(stream)).doesNotHaveDuplicates();
    }

    @Test
    void room_thatIsNotTheStreams_isNotFound() {
        String room = openRoom(participant("ada"));
        String elsewhere = openRoom(participant("bob"));
        Member ada = member("ada", room);

        assertThat(ada.stream().fails(subscription(elsewhere)).error()).isEqualTo("room-not-found");
        assertThat(client("integrator", "team-of-others")
                        .fails(subscription(room))
                        .error())
                .isEqualTo("room-not-found");
        assertThat(ada.stream().fails(subscription("no room")).error()).isEqualTo("room-not-found");
    }

    private static int last(DEventsRequest request) {
        return request.getEvents(request.getEventsCount() - 1).getSeq();
    }

    private static List<Integer> seqs(StreamClient stream) {
        return stream.requests(DEventsRequest.class).stream()
                .flatMap(request -> request.getEventsList().stream())
                .map(RoomEvent::getSeq)
                .toList();
    }

    private static Duration between(RoomEvent one, RoomEvent other) {
        return Duration.between(java.time.Instant.parse(one.getAt()), java.time.Instant.parse(other.getAt()));
    }
}
