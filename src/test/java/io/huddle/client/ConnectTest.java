package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.client.HuddleFailure.Reason;
import io.huddle.harness.Awaiting;
import io.huddle.wire.CanonicalHandshake;
import io.huddle.wire.ClientMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectTest extends PeerTest {
    @Test
    void handshake_byKey_isSignedOverAllItSays() {
        HuddleClient client = client(
                options().metadata("site", "Bad Ems").metadata("7", "é&=").audience("aud"));
        client.setClockOffset(Duration.ofHours(1));
        long before = System.currentTimeMillis();
        Map<String, String> query = connect(client).query();

        CanonicalHandshake signed = new CanonicalHandshake(
                "/stream",
                "aud",
                "huddle-java",
                query.getOrDefault("ts", ""),
                query.getOrDefault("nonce", ""),
                query.getOrDefault("id", ""),
                "c-test",
                "4",
                false,
                "",
                Map.of("site", "Bad Ems", "7", "é&="));
        assertThat(query)
                .containsEntry("pv", "4")
                .containsEntry("cid", "c-test")
                .containsEntry("site", "Bad Ems")
                .containsEntry("7", "é&=")
                .containsEntry("signature", signed.signature(KEY.secret()))
                .doesNotContainKey("supersede");
        assertThat(Long.parseLong(query.getOrDefault("ts", "")))
                .isBetween(before + 3_600_000, System.currentTimeMillis() + 3_600_000);
    }

    @Test
    void connect_afterTheFirstPing_isNotConnectedYet() {
        HuddleClient client = client(options());
        CompletableFuture<Boolean> connected = client.connect();
        Peer.Stream stream = peer.arrival();
        stream.ping();
        Awaiting.holds(ms(300), "not connected", () -> !connected.isDone() && !client.isConnected());
        stream.ping();
        assertThat(get(connected)).isTrue();
        assertThat(client.isConnected()).isTrue();
    }

    @Test
    void connect_activationThatNeverComes_timesOut() {
        HuddleClient client = client(options().timing(Timings.connect(ms(300))));
        CompletableFuture<Boolean> connected = client.connect();
        Peer.Stream stream = peer.arrival();
        stream.ping();
        assertThat(failure(connected)).isEqualTo(Reason.CONNECT_TIMEOUT);
        assertThat(stream.awaitClose()).isEqualTo(4003);
    }

    @ParameterizedTest
    @CsvSource({"400, BAD_ARGUMENT", "401, AUTHENTICATION", "403, AUTHENTICATION", "503, NO_CAPACITY", "404, REFUSED"})
    void connect_refusedUpgrade_tellsWhyAndStaysOff(int status, Reason reason) {
        HuddleClient client = client(options());
        peer.refuse(status);
        assertThat(failure(client.connect())).isEqualTo(reason);
        Awaiting.holds(ms(300), "no second attempt", () -> !peer.hasArrival());
        assertThat(losses).isEmpty();
        connect(client);
    }

    @Test
    void connect_nobodyListens_isUnreachable() {
        HuddleClient client = client(options());
        peer.close();
        assertThat(failure(client.connect())).isEqualTo(Reason.UNREACHABLE);
    }

    @Test
    void connection_cut_comesBackAndSupersedes() {
        HuddleClient client = client(options());
        connect(client).cut();
        Peer.Stream again = peer.activated();
        assertThat(again.query()).containsEntry("supersede", "1");
        Awaiting.until("connected", client::isConnected);
        assertThat(loss().cause().reason()).isEqualTo(Reason.LOST);
        assertThat(loss().reconnectIn()).isPresent();
    }

    @Test
    void reconnect_refusedForAWhile_goesOn() {
        HuddleClient client = client(options());
        Peer.Stream first = connect(client);
        peer.refuse(503).refuse(403).refuse(400);
        first.cut();
        peer.activated();
        Awaiting.until("connected", client::isConnected);
        assertThat(losses)
                .extracting(loss -> loss.cause().reason())
                .containsExactly(Reason.LOST, Reason.NO_CAPACITY, Reason.AUTHENTICATION, Reason.BAD_ARGUMENT);
    }

    @ParameterizedTest
    @CsvSource({"4001, CONFLICT", "4002, SUPERSEDED", "4004, SESSION_ENDED", "4005, OPERATOR"})
    void connection_closedForGood_staysOff(int code, Reason reason) {
        HuddleClient client = client(options());
        connect(client).close(code, "room-closed");
        assertThat(loss().cause().reason()).isEqualTo(reason);
        assertThat(loss().cause().code()).isEqualTo(code);
        assertThat(loss().cause().detail()).isEqualTo("room-closed");
        assertThat(loss().reconnectIn()).isEmpty();
        Awaiting.holds(ms(300), "off", () -> !peer.hasArrival() && !client.isConnected());

        // Who is told to connect again all the same does not push the other one out.
        assertThat(connect(client).query()).doesNotContainKey("supersede");
    }

    @ParameterizedTest
    @CsvSource({"1000", "1011", "1013", "4000", "4003"})
    void connection_closedForNow_comesBack(int code) {
        HuddleClient client = client(options());
        connect(client).close(code, "");
        peer.activated();
        Awaiting.until("connected", client::isConnected);
        assertThat(loss().cause().code()).isEqualTo(code);
    }

    @Test
    void connection_nodeDrains_comesBackAfterTheDelayItTold() {
        HuddleClient client = client(options());
        connect(client).close(1012, "345");
        assertThat(loss().cause().reason()).isEqualTo(Reason.DRAINING);
        assertThat(loss().reconnectIn()).contains(ms(345));
        peer.activated();
    }

    @Test
    void connection_reconnectOff_staysOff() {
        HuddleClient client = client(options().reconnect(false));
        connect(client).cut();
        assertThat(loss().reconnectIn()).isEmpty();
        Awaiting.holds(ms(300), "off", () -> !peer.hasArrival());
    }

    @Test
    void close_connected_saysGoodbyeAndEndsForGood() {
        HuddleClient client = client(options());
        Peer.Stream stream = connect(client);
        client.close();
        assertThat(stream.awaitClose()).isEqualTo(1000);
        assertThat(loss().cause().reason()).isEqualTo(Reason.CLOSED);
        assertThat(failure(client.connect())).isEqualTo(Reason.CLOSED);
        Awaiting.holds(ms(300), "off", () -> !peer.hasArrival());
    }

    @Test
    void close_connecting_failsTheConnect() {
        HuddleClient client = client(options());
        CompletableFuture<Boolean> connected = client.connect();
        Peer.Stream stream = peer.arrival();
        client.close();
        assertThat(failure(connected)).isEqualTo(Reason.CLOSED);
        stream.awaitGone(Awaiting.PATIENCE);
    }

    @Test
    void silence_ofTheServer_endsTheConnectionAndComesBack() {
        HuddleClient client = client(options().timing(Timings.life(ms(100), ms(400), ms(50), ms(100))));
        Peer.Stream stream = connect(client);
        stream.await("a ping", ClientMessage::hasPingPong);
        assertThat(stream.awaitClose()).isEqualTo(4003);
        assertThat(loss().cause().reason()).isEqualTo(Reason.TIMEOUT);
        peer.activated();
    }

    @Test
    void hint_serverAnswers_staysConnected() {
        HuddleClient client = client(options()
                .timing(Timings.life(
                        Timing.PROTOCOL.ping(), Timing.PROTOCOL.silence(), Timing.PROTOCOL.check(), ms(1_500))));
        Peer.Stream stream = connect(client);
        client.checkConnection();
        stream.await("a ping", ClientMessage::hasPingPong);
        stream.ping();
        Awaiting.holds(ms(2_000), "connected", client::isConnected);
    }

    @Test
    void hint_serverIsSilent_comesBack() {
        HuddleClient client = client(options()
                .timing(Timings.life(
                        Timing.PROTOCOL.ping(), Timing.PROTOCOL.silence(), Timing.PROTOCOL.check(), ms(200))));
        connect(client);
        client.checkConnection();
        assertThat(loss().cause().reason()).isEqualTo(Reason.TIMEOUT);
        peer.activated();
    }

    @Test
    void tickets_eachConnection_getsAFreshOne() {
        AtomicInteger joins = new AtomicInteger();
        HuddleClient client = ending(HuddleClient.withTickets(
                () -> CompletableFuture.completedFuture(new Ticket(peer.uri(), "ticket-" + joins.incrementAndGet())),
                options()));
        Peer.Stream first = connect(client);
        assertThat(first.query()).containsEntry("ticket", "ticket-1").containsEntry("pv", "4");
        assertThat(first.query()).doesNotContainKeys("signature", "cid", "supersede");
        first.cut();
        assertThat(peer.activated().query()).containsEntry("ticket", "ticket-2");
    }

    @Test
    void tickets_joinFails_isAFailedAttempt() {
        AtomicInteger joins = new AtomicInteger();
        HuddleClient client = ending(HuddleClient.withTickets(
                () -> switch (joins.incrementAndGet()) {
                    case 1 -> throw new IllegalStateException("no room");
                    case 3 -> CompletableFuture.failedFuture(new IllegalStateException("no room"));
                    default -> CompletableFuture.completedFuture(new Ticket(peer.uri(), "t" + joins.get()));
                },
                options()));
        CompletableFuture<Boolean> connected = client.connect();
        assertThat(failure(connected)).isEqualTo(Reason.NO_TICKET);
        connect(client).cut();
        assertThat(peer.activated().query()).containsEntry("ticket", "t4");
        assertThat(losses).extracting(loss -> loss.cause().reason()).containsExactly(Reason.LOST, Reason.NO_TICKET);
    }

    @Test
    void callbacks_overConnections_comeInOrder() {
        List<String> told = new CopyOnWriteArrayList<>();
        HuddleClient client = client(options()
                .onConnected(() -> told.add("connected"))
                .onDisconnected(loss -> told.add(loss.cause().reason().toString())));
        connect(client).cut();
        peer.activated().close(4002, "joined elsewhere");
        Awaiting.asserted(() -> assertThat(told).containsExactly("connected", "LOST", "connected", "SUPERSEDED"));
    }

    @Test
    void callback_thatThrows_doesNotStopTheClient() {
        List<String> defects = new CopyOnWriteArrayList<>();
        HuddleClient client = client(options()
                .onConnected(() -> {
                    throw new IllegalStateException("the owner's defect");
                })
                .onDefect((method, cause) -> defects.add(method)));
        connect(client).cut();
        peer.activated();
        Awaiting.asserted(() -> assertThat(defects).containsExactly("callback", "callback"));
    }
}
