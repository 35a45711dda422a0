package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.RawStream;
import io.huddle.harness.StreamClient;
import io.huddle.harness.TcpProxy;
import io.huddle.wire.UCallRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Peers that fall silent, and a node that is told to end: on a node that is quick to judge and logs the traffic. */
class HostileSilenceIT extends HostileContract {
    private static final int STREAMS = 20;
    private static final Duration DRAINED = Duration.ofSeconds(2);
    private static final Duration STOPPED = Duration.ofSeconds(15);

    private static final class Quick {
        static final Node NODE = launch(
                "hostile-silence",
                Map.of(
                        "HUDDLE_STREAM_SILENCE_SECONDS", "3",
                        "HUDDLE_STREAM_LIVENESS_SECONDS", "1",
                        "HUDDLE_STREAM_DISCONNECT_ON_REQUEST_TIMEOUT", "false",
                        "HUDDLE_STREAM_TRAFFIC_LOG", "true"));
    }

    @Override
    Node node() {
        if (!Quick.NODE.isAlive()) {
            Quick.NODE.restart();
        }
        return Quick.NODE.awaitReady();
    }

    @AfterAll
    static void end() {
        Quick.NODE.close();
    }

    @Test
    void peer_thatVanishesWithoutAWord_isClosedAndReplacedAtOnce() {
        String room = openRoom();
        double closes = closes("timeout");
        double before = streams();
        try (TcpProxy proxy = TcpProxy.to(node().port())) {
            Answer joined = integrator().joinAs(room, "ada");
            StreamClient ada = keep(StreamClient.to(proxy.port())
                    .ticket(StreamClient.ticket(joined))
                    .connect());
            StreamClient bob = keep(StreamClient.to(proxy.port())
                    .ticket(StreamClient.ticket(integrator().joinAs(room, "bob")))
                    .connect());
            proxy.stall();

            StreamClient again = keep(
                    StreamClient.to(node(), integrator().joinAs(room, "ada")).connect());
            assertThat(echo(again, "back")).isEqualTo("back");
            assertThat(ada.isClosed()).as("it cannot know").isFalse();
            Awaiting.until("bob is judged", () -> {
                assertOthersFine();
                assertThat(echo(again, "alive")).isEqualTo("alive");
                return closes("timeout") == closes + 1;
            });
            assertThat(bob.isClosed()).isFalse();
            Awaiting.until("bob is suspect", () -> states(room).contains("bob:suspect"));
            assertThat(states(room)).contains("ada:present");
            assertThat(streams()).isEqualTo(before + 1);
            proxy.mend();
            assertThat(bob.awaitClose().code()).isIn(4003, RawStream.BROKEN);
            assertThat(ada.awaitClose().code()).isIn(4002, RawStream.BROKEN);
        }
    }

    /** A frame that is begun and never ended is no sign of life, however slowly it drips. */
    @Test
    void dripping_isNoSignOfLife() {
        RawStream stream = raw(JSON);
        double closes = closes("timeout");
        stream.announce(RawStream.TEXT, 1_000);
        Awaiting.until("closed", () -> {
            stream.write(new byte[] {' '});
            assertOthersFine();
            return closes("timeout") == closes + 1;
        });
    }

    @Test
    void callWithoutReceipt_whereTheSwitchIsOff_leavesTheStream() {
        Key target = key("participant");
        RawStream called = keep(RawStream.connected(node().port(), signedQuery(target, 4), JSON, 0));
        StreamClient caller = keep(signed(key("integrator")).connect());
        var answer = caller.callLater(UCallRequest.newBuilder()
                .setToClient(target.client())
                .setType("ring")
                .setData("1")
                .setTimeoutMs(3_500)
                .build());
        Awaiting.until("the call has failed", () -> {
            called.text("{\"pingPong\":{}}");
            caller.ping().join();
            assertOthersFine();
            return answer.isDone();
        });
        assertThat(answer.handle((done, failed) -> String.valueOf(failed)).join())
                .contains("delivery-indeterminate");
        called.text("{\"requestId\":\"a\",\"uEchoRequest\":{\"message\":\"alive\"}}");
        RawStream.Frame frame = called.read();
        while (!frame.text().contains("alive")) {
            assertThat(frame.opcode()).isEqualTo(RawStream.TEXT);
            frame = called.read();
        }
    }

    @Test
    void logs_holdTypesAndIdsAndNeverWhatIsSecret() {
        List<String> secrets = new ArrayList<>();
        String room = openRoom();
        Answer joined = integrator().joinAs(room, "ada");
        String ticket = StreamClient.ticket(joined);
        secrets.add(ticket);
        StreamClient ada = keep(StreamClient.to(node(), joined).connect());
        String payload = "payload-" + unique();
        secrets.add(payload);
        assertThat(echo(ada, payload)).isEqualTo(payload);
        Key key = key("participant");
        secrets.add(key.secret());
        for (String host : List.of("localhost", "a b", "[")) {
            for (String query : List.of(
                    "pv=4&ticket=" + ticket, "pv=4&ticket=" + ticket + "&x=%zz", signedQuery(key, 4) + "&more=1")) {
                secrets.add(query.substring(query.length() - 30));
                try (RawStream refused = RawStream.dial(node().port())) {
                    List<String> lines = RawStream.upgrade(node().port(), query, JSON);
                    lines.set(1, "Host: " + host);
                    refused.request(lines);
                    assertThat(refused.status()).isBetween(400, 403);
                }
            }
        }
        String signed = signedQuery(key, 4);
        secrets.add(signed.replaceAll(".*signature=([0-9a-f]{64}).*", "$1"));
        keep(RawStream.connected(node().port(), signed, JSON, 0));

        assertThat(node().log())
                .contains("uEchoRequest", "uEchoResponse", joined.json().getString("session"))
                .doesNotContain(secrets.toArray(new String[0]));
        try (Stream<Path> files = Files.walk(node().logs())) {
            assertThat(files.filter(Files::isRegularFile))
                    .isNotEmpty()
                    .allSatisfy(file ->
                            assertThat(read(file)).as("%s", file).doesNotContain(secrets.toArray(new String[0])));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
