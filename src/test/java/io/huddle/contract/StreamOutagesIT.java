package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.Postgres;
import io.huddle.harness.Store;
import io.huddle.harness.StreamClient;
import io.huddle.harness.TcpProxy;
import io.huddle.harness.Tokens;
import io.huddle.wire.URenewRequest;
import io.huddle.wire.URenewResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What clients on a stream see when the node's database goes away, and when the node is told to end. */
class StreamOutagesIT extends HostileContract {
    private static final int STREAMS = 20;
    private static final Duration DRAINED = Duration.ofSeconds(2);
    private static final Duration STOPPED = Duration.ofSeconds(15);
    private static final Duration RECOVERY = Duration.ofSeconds(30);

    private static final class Away {
        static final Postgres.Database DATABASE = Postgres.shared().createDatabase();
        static final TcpProxy WIRE = TcpProxy.to(DATABASE.port());
        static final Node NODE = Node.start(
                        "stream-outages",
                        Store.postgres(DATABASE, WIRE).env(),
                        Tokens.env(),
                        settings(),
                        Map.of("HUDDLE_STREAM_TRAFFIC_LOG", "true", "HUDDLE_STREAM_TRAFFIC_BODIES", "true"))
                .awaitReady();
    }

    @Override
    Node node() {
        if (!Away.NODE.isAlive()) {
            Away.NODE.restart();
            Away.NODE.awaitReady();
        }
        return Away.NODE;
    }

    @AfterAll
    static void end() {
        Away.NODE.close();
        Away.WIRE.close();
    }

    @Test
    void database_awayAndBack_costsNoStream() {
        var joined = integrator().joinAs(openRoom(), "ada").assertStatus(201);
        StreamClient ada = keep(StreamClient.to(node(), joined).connect());
        URenewRequest renewal = URenewRequest.newBuilder()
                .setSession(joined.json().getString("session"))
                .setGeneration(1)
                .build();
        assertThat(ada.call(renewal, URenewResponse.class).getState()).isEqualTo("present");
        var waiting = integrator().joinAs(openRoom(), "bob").assertStatus(201);
        Key key = key("participant");
        for (Runnable fault : List.<Runnable>of(Away.WIRE::cut, Away.WIRE::stall)) {
            fault.run();
            try {
                Awaiting.until(RECOVERY, "renewals are refused", () -> {
                    try {
                        return !ada.call(renewal, URenewResponse.class)
                                .getState()
                                .equals("present");
                    } catch (StreamClient.Failed failed) {
                        assertThat(failed.error()).isEqualTo("unavailable");
                        assertThat(failed.isUserError()).isFalse();
                        return true;
                    }
                });
                assertThat(echo(ada, "meanwhile")).isEqualTo("meanwhile");
                assertThat(StreamClient.to(node(), waiting).status()).isEqualTo(503);
                assertThat(signed(key).status()).isEqualTo(503);
                assertThat(echo(ada, "still")).isEqualTo("still");
            } finally {
                Away.WIRE.mend();
            }
            Awaiting.until(RECOVERY, "renewals go on", () -> {
                try {
                    return ada.call(renewal, URenewResponse.class).getState().equals("present");
                } catch (StreamClient.Failed failed) {
                    assertThat(failed.error()).isEqualTo("unavailable");
                    return false;
                }
            });
            Awaiting.until(
                    RECOVERY,
                    "streams open again",
                    () -> signed(key).with("supersede", "1").status() == 101);
            Awaiting.until(RECOVERY, "ready", () -> node().isReady());
        }
        assertThat(ada.isClosed()).isFalse();
        assertThat(metrics().value("huddle_stream_pending_handshakes")).isZero();
    }

    @Test
    void database_away_leavesItsGaugesWithoutAValue_andTheScrapeAnswers() {
        Awaiting.until(RECOVERY, "counted", () -> present() >= 0);
        Away.WIRE.cut();
        try {
            Awaiting.until(RECOVERY, "no value rather than an old one", () -> Double.isNaN(present()));
            assertThat(metrics().value("huddle_oldest_unrenewed_lease_seconds")).isNaN();
            assertThat(metrics().value("huddle_rooms", "state", "open")).isNaN();
            assertThat(metrics().value("huddle_streams")).isNotNegative();
        } finally {
            Away.WIRE.mend();
        }
        Awaiting.until(RECOVERY, "counted again", () -> present() >= 0);
        Awaiting.until(RECOVERY, "ready", () -> node().isReady());
    }

    private double present() {
        return metrics().value("huddle_sessions", "state", "present");
    }

    @Test
    void trafficLog_withBodies_holdsThem() {
        StreamClient ada = keep(
                StreamClient.to(node(), integrator().joinAs(openRoom(), "ada")).connect());
        String payload = "payload-" + unique();
        assertThat(echo(ada, payload)).isEqualTo(payload);
        Awaiting.until("the body is in the log", () -> everythingLogged().contains(payload));
    }

    /** Liberty waits for its connections before it stops the application, and streams never end by themselves. */
    @Test
    void node_toldToEnd_sendsEverybodyAwayAndStops() {
        String room = openRoom();
        List<StreamClient> all = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            all.add(keep(
                    StreamClient.to(node(), integrator().joinAs(room, "p-" + i)).connect()));
        }
        long begin = System.nanoTime();
        CompletableFuture<Void> ending = CompletableFuture.runAsync(Away.NODE::terminate);
        for (StreamClient stream : all) {
            StreamClient.Close close = stream.awaitClose(DRAINED);
            assertThat(close.code()).isEqualTo(1012);
            assertThat(Integer.parseInt(close.reason())).isBetween(0, 5_000);
        }
        assertThat(all.stream()
                        .map(stream -> stream.awaitClose().reason())
                        .distinct()
                        .count())
                .as("delays of their own")
                .isGreaterThan(STREAMS / 2);
        ending.orTimeout(40, TimeUnit.SECONDS).join();
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        System.out.println("the node with " + STREAMS + " streams stopped after " + took.toMillis() + " ms");
        assertThat(took).isLessThan(STOPPED);
        // For whoever looks after the others.
        letSomebodyIn();
    }
}
