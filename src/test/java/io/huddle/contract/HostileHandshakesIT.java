package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Awaiting;
import io.huddle.harness.RawStream;
import io.huddle.harness.StreamClient;
import io.huddle.wire.CanonicalHandshake;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handshakes that are broken off, replayed, forged or run against each other. */
class HostileHandshakesIT extends HostileContract {
    private static final int ABORTED = 300;
    private static final int RIVALS = 20;

    /** How far a client goes before it vanishes. */
    enum Step {
        HALF_A_HEAD(0),
        HEAD_SENT(0),
        UPGRADED(0),
        FIRST_PING(1),
        CONNECTED(2);

        private final int pings;

        Step(int pings) {
            this.pings = pings;
        }
    }

    /** Each kept its place among the pending ones, and in the end nobody was let in. */
    @ParameterizedTest
    @EnumSource(Step.class)
    void connections_brokenOff_giveTheirPlacesBack(Step step) {
        String room = openRoom();
        double before = streams();
        for (int i = 0; i < ABORTED / 5; i++) {
            breakOff(step, query(room, "aborted-" + i % 20));
        }
        Awaiting.until("no handshake is pending", () -> pending() == 0);
        awaitStreams(before);
        assertThat(metrics().value("huddle_stream_handshakes_total", "status", "503"))
                .isZero();
    }

    private void breakOff(Step step, String query) {
        List<String> lines = RawStream.upgrade(node().port(), query, JSON);
        try (RawStream stream = RawStream.dial(node().port())) {
            if (step == Step.HALF_A_HEAD) {
                stream.write((lines.get(0) + "\r\n" + lines.get(1) + "\r\nUpg").getBytes(StandardCharsets.US_ASCII));
                return;
            }
            stream.request(lines);
            if (step == Step.HEAD_SENT) {
                return;
            }
            assertThat(stream.status()).isEqualTo(101);
            for (int ping = 0; ping < step.pings; ping++) {
                assertThat(stream.read().text()).contains("pingPong");
            }
        }
    }

    private double pending() {
        return metrics().value("huddle_stream_pending_handshakes");
    }

    /** An upgrade that the platform itself refuses must not keep a place. */
    @Test
    void upgrade_thatIsNone_isRefusedAndKeepsNoPlace() {
        String room = openRoom();
        for (String wrong : List.of(
                "Sec-WebSocket-Version: 7",
                "Sec-WebSocket-Version: x",
                "Sec-WebSocket-Key: ",
                "Sec-WebSocket-Key: short",
                "Connection: close",
                "Upgrade: h2c",
                "Sec-WebSocket-Protocol: chat")) {
            String name = wrong.substring(0, wrong.indexOf(':') + 1);
            List<String> lines = RawStream.upgrade(node().port(), query(room, "odd"), JSON);
            lines.replaceAll(line -> line.startsWith(name) ? wrong : line);
            for (int i = 0; i < 3; i++) {
                try (RawStream stream = RawStream.dial(node().port())) {
                    stream.request(lines);
                    assertThat(stream.status()).as(wrong).isBetween(400, 426);
                }
            }
        }
        Awaiting.until("no handshake is pending", () -> pending() == 0);
    }

    /** What is no address made the node answer 500, with a stack trace for each. */
    @ParameterizedTest
    @ValueSource(
            strings = {"", "a b", "[", "[::1", "%", "a\"b", "<x>", "a_b", "a_b:80", "x:y", "ü", "a^b", "http://x", "\\"
            })
    void host_strange_isNoDefect(String host) {
        List<String> lines = RawStream.upgrade(node().port(), query(openRoom(), "host"), JSON);
        lines.set(1, "Host: " + host);
        lines.add("Origin: https://evil.example");
        try (RawStream stream = RawStream.dial(node().port())) {
            stream.request(lines);
            assertThat(stream.status()).isIn(400, 403);
        }
        Awaiting.until("no handshake is pending", () -> pending() == 0);
    }

    /** Container networks name hosts so; a browser there was taken for one of another site. */
    @Test
    void host_withAnUnderscore_isTheOwnOrigin() {
        List<String> lines = RawStream.upgrade(node().port(), query(openRoom(), "host"), JSON);
        lines.set(1, "Host: huddle_app:" + node().port());
        lines.add("Origin: http://huddle_app:" + node().port());
        try (RawStream stream = RawStream.dial(node().port())) {
            stream.request(lines);
            assertThat(stream.status()).isEqualTo(101);
        }
    }

    @Test
    void ticket_usedByAThief_isUsedUpAndItsOwnerJoinsAgain() {
        String room = openRoom();
        Answer joined = integrator().joinAs(room, "ada").assertStatus(201);
        StreamClient thief = keep(StreamClient.to(node(), joined).connect());
        assertThat(StreamClient.to(node(), joined).status()).isEqualTo(403);

        Answer again = integrator().joinAs(room, "ada");
        StreamClient owner = keep(StreamClient.to(node(), again).connect());

        assertThat(thief.awaitClose().code()).isEqualTo(4002);
        assertThat(echo(owner, "mine")).isEqualTo("mine");
        assertThat(states(room)).containsExactly("ada:present");
    }

    /** Whoever guesses must not learn from the answer which part was right. */
    @Test
    void signature_overAnyOtherText_isRefusedInTheSameWords() {
        Key key = key("integrator");
        Map<String, String> right = parameters(key, unique() + unique());
        List<String> answers = new ArrayList<>();
        for (String changed : right.keySet()) {
            if (changed.equals("pv")) {
                continue;
            }
            Map<String, String> query = new LinkedHashMap<>(right);
            query.compute(changed, (name, value) -> oneOff(name, String.valueOf(value)));
            answers.add(refusal(query));
        }
        Map<String, String> other = new LinkedHashMap<>(right);
        other.put("pv", "3");
        answers.add(refusal(other));
        Map<String, String> more = new LinkedHashMap<>(right);
        more.put("added", "1");
        answers.add(refusal(more));
        Map<String, String> less = new LinkedHashMap<>(right);
        less.remove("ward");
        answers.add(refusal(less));
        Map<String, String> supersede = new LinkedHashMap<>(right);
        supersede.put("supersede", "1");
        answers.add(refusal(supersede));
        Map<String, String> ticket = new LinkedHashMap<>(Map.of("pv", "4", "ticket", "x".repeat(43)));
        answers.add(refusal(ticket));
        assertThat(answers).allMatch(answer -> answer.startsWith("HTTP/1.1 403"));
        assertThat(answers.stream().distinct().toList()).hasSize(1);

        assertThat(status(right)).as("what was not changed").isEqualTo(101);
        answers.add(refusal(right));
        assertThat(answers.stream().distinct().toList()).as("a replay, too").hasSize(1);
    }

    private static String oneOff(String name, String value) {
        char last = value.charAt(value.length() - 1);
        char other = name.equals("signature") || name.equals("ts") ? last == '0' ? '1' : '0' : (char) (last ^ 1);
        return value.substring(0, value.length() - 1) + other;
    }

    private static Map<String, String> parameters(Key key, String nonce) {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("pv", "4");
        query.put("appv", "1.0");
        query.put("ts", Long.toString(Instant.now().toEpochMilli()));
        query.put("nonce", nonce);
        query.put("aud", "/stream");
        query.put("id", "stream-1");
        query.put("cid", key.client());
        query.put("cap", "a,b");
        query.put("ward", "4B");
        query.put("unit", "icu");
        query.put(
                "signature",
                new CanonicalHandshake(
                                "/stream",
                                "/stream",
                                "1.0",
                                String.valueOf(query.get("ts")),
                                nonce,
                                "stream-1",
                                key.client(),
                                "4",
                                false,
                                "a,b",
                                new TreeMap<>(Map.of("ward", "4B", "unit", "icu")))
                        .signature(key.secret()));
        return query;
    }

    private int status(Map<String, String> query) {
        try (RawStream stream = RawStream.dial(node().port())) {
            stream.request(RawStream.upgrade(node().port(), text(query), JSON));
            return stream.status();
        }
    }

    /** The answer without what is different each time. */
    private String refusal(Map<String, String> query) {
        try (RawStream stream = RawStream.dial(node().port())) {
            stream.request(RawStream.upgrade(node().port(), text(query), JSON));
            return stream.answer()
                    .lines()
                    .filter(line -> !line.startsWith("Date:"))
                    .map(line -> line.replaceAll("[0-9a-f]{16,32}", "#"))
                    .collect(Collectors.joining("\n"));
        }
    }

    private static String text(Map<String, String> query) {
        return query.entrySet().stream()
                .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    /** Of many who would all replace each other one is left, whoever it is, and none was told of a conflict. */
    @Test
    void rivals_thatAllSupersede_leaveExactlyOne() throws Exception {
        Key key = key("participant");
        double before = streams();
        ExecutorService threads = Executors.newFixedThreadPool(RIVALS);
        try {
            CountDownLatch gate = new CountDownLatch(RIVALS);
            List<Future<StreamClient>> opening = new ArrayList<>();
            Callable<StreamClient> open = () -> {
                gate.countDown();
                gate.await();
                return signed(key).with("supersede", "1").open();
            };
            for (int i = 0; i < RIVALS; i++) {
                opening.add(threads.submit(open));
            }
            List<StreamClient> all = new ArrayList<>();
            for (Future<StreamClient> one : opening) {
                all.add(keep(one.get()));
            }
            Awaiting.until(
                    "one is left",
                    () -> all.stream().filter(StreamClient::isClosed).count() == RIVALS - 1);
            StreamClient left = all.stream()
                    .filter(stream -> !stream.isClosed())
                    .findFirst()
                    .orElseThrow();
            left.awaitConnected();
            assertThat(echo(left, "left")).isEqualTo("left");
            assertThat(all.stream().filter(StreamClient::isClosed))
                    .allSatisfy(stream -> assertThat(stream.awaitClose().code()).isIn(4002, 1013));
            awaitStreams(before + 1);
            assertThat(pending()).isZero();
        } finally {
            threads.shutdownNow();
        }
    }
}
