package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.huddle.harness.Answer;
import io.huddle.harness.Awaiting;
import io.huddle.harness.RawStream;
import io.huddle.harness.StreamClient;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.DSignalRequest;
import io.huddle.wire.UEchoBytesRequest;
import io.huddle.wire.USignalRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that send too much, or take nothing. */
class HostileFloodsIT extends HostileContract {
    private static final int IN_WORK = 64;
    private static final int QUEUED = 128;
    private static final int SLOW = 200;
    private static final int ECHOES = 30;

    @Test
    void requests_moreThanMayBeInWork_close() {
        String room = openRoom();
        Answer joined = integrator().joinAs(room, "silent").assertStatus(201);
        StreamClient silent = keep(StreamClient.to(node(), joined).connect());
        silent.answerLater(DSignalRequest.class, signal -> new CompletableFuture<>());
        StreamClient sender = keep(StreamClient.to(node(), integrator().joinAs(room, "sender"))
                .protocol(4)
                .connect());
        double hits = hits("requests");
        USignalRequest signal = USignalRequest.newBuilder()
                .setRoom(room)
                .setToSession(joined.json().getString("session"))
                .setKind("offer")
                .setPayload("x")
                .build();
        for (int i = 0; i < IN_WORK; i++) {
            var unused = sender.callLater(signal);
        }
        assertThat(silent.await(DSignalRequest.class, IN_WORK)).hasSize(IN_WORK);
        assertThat(sender.isClosed()).isFalse();

        var unused = sender.callLater(signal);

        assertThat(sender.awaitClose().code()).isEqualTo(4000);
        assertThat(hits("requests")).isEqualTo(hits + 1);
        assertThat(echo(silent, "me, too")).isEqualTo("me, too");
    }

    /** All of it in one write with the upgrade: it is there before the stream is public. */
    @Test
    void requests_beforeTheStreamIsPublic_runAllOfThem() {
        for (int round = 0; round < 5; round++) {
            RawStream most = early(QUEUED);
            Set<String> ids = new HashSet<>();
            while (ids.size() < QUEUED) {
                RawStream.Frame frame = most.read();
                assertThat(frame.opcode())
                        .as("%s %s", frame.code(), frame.reason())
                        .isEqualTo(RawStream.TEXT);
                if (frame.text().contains("uEchoResponse")) {
                    ids.add(frame.text().replaceAll(".*\"requestId\":\"(\\d+)\".*", "$1"));
                }
            }
        }
    }

    private RawStream early(int requests) {
        RawStream stream = keep(RawStream.dial(node().port()));
        stream.request(RawStream.upgrade(node().port(), query(openRoom(), "early"), JSON));
        assertThat(stream.status()).isEqualTo(101);
        for (int i = 0; i < requests; i++) {
            stream.text("{\"requestId\":\"" + i + "\",\"uEchoRequest\":{\"message\":\"\"}}");
        }
        return stream;
    }

    /** Both kinds of pings between requests: no answer may be lost, and not each ping need be answered. */
    @Test
    void pings_byTheThousand_costNoAnswer() {
        RawStream stream = raw(JSON);
        int rounds = 500;
        byte[] ping = "ping".getBytes(StandardCharsets.US_ASCII);
        CompletableFuture<Set<String>> reading = CompletableFuture.supplyAsync(() -> answers(stream, rounds));
        for (int i = 0; i < rounds; i++) {
            stream.frame(RawStream.PING, true, ping);
            stream.text("{\"pingPong\":{}}");
            stream.text("{\"requestId\":\"" + i + "\",\"uEchoRequest\":{\"message\":\"" + "m".repeat(500) + "\"}}");
            stream.frame(RawStream.PING, true, ping);
        }
        assertThat(reading.orTimeout(30, TimeUnit.SECONDS).join()).hasSize(rounds);
    }

    private static Set<String> answers(RawStream stream, int count) {
        Set<String> ids = new HashSet<>();
        int pings = 0;
        while (ids.size() < count) {
            RawStream.Frame frame = stream.read();
            if (frame.opcode() == RawStream.CLOSE) {
                throw new AssertionError("closed: " + frame.code() + " " + frame.reason() + " after " + ids.size());
            }
            if (frame.opcode() == RawStream.TEXT && frame.text().contains("uEchoResponse")) {
                ids.add(frame.text().replaceAll(".*\"requestId\":\"(\\d+)\".*", "$1"));
            } else if (frame.opcode() == RawStream.TEXT && frame.text().contains("pingPong")) {
                pings++;
            }
        }
        assertThat(pings).as("answered pings").isBetween(1, count);
        return ids;
    }

    @Test
    void byteStreams_withoutReceiver_areBoundedInNumberAndBytes() {
        double ids = hits("byte-stream-ids");
        double bytes = hits("unclaimed-bytes");
        RawStream many = raw(JSON);
        for (int i = 0; i < 1_025; i++) {
            many.text("{\"byteStreamOperation\":{\"streamId\":" + (2 * i + 1) + ",\"finish\":{}}}");
        }
        assertThat(many.awaitClose().code()).isEqualTo(4000);
        assertThat(hits("byte-stream-ids")).isEqualTo(ids + 1);

        RawStream much = raw(JSON);
        String chunk = java.util.Base64.getEncoder().encodeToString(new byte[20_000]);
        much.text("{\"byteStreamOperation\":{\"streamId\":1,\"write\":{\"chunk\":\"" + chunk + "\"}}}");
        much.text("{\"byteStreamOperation\":{\"streamId\":3,\"write\":{\"chunk\":\"" + chunk + "\"}}}");
        assertThat(much.read().text()).contains("\"streamId\":3", "destroy");
        assertThat(hits("unclaimed-bytes")).isEqualTo(bytes + 1);

        RawStream tiny = raw(JSON);
        for (int i = 0; i < 32_768 / 128 + 1; i++) {
            tiny.text("{\"byteStreamOperation\":{\"streamId\":1,\"write\":{\"chunk\":\"AA==\"}}}");
        }
        assertThat(tiny.read().text()).as("many small chunks are not cheap").contains("destroy");
    }

    /** Who asks for much and reads nothing is closed, its memory comes back, and no thread waits for it. */
    @Test
    @Timeout(100)
    void readers_thatReadNothing_areClosedAndTheirMemoryComesBack() throws Exception {
        String room = openRoom();
        double streams = streams();
        double hits = hits("send-buffer") + hits("send-timeout");
        double closes = closes("no-capacity");
        long before = heapInUse();
        List<RawStream> slow = new ArrayList<>();
        for (int i = 0; i < SLOW; i++) {
            slow.add(keep(RawStream.connected(node().port(), query(room, "slow-" + i % 190), JSON, 2_048)));
            RawStream one = slow.get(i);
            for (int request = 0; request < 30; request++) {
                one.frame(RawStream.TEXT, true, big(request));
            }
            if (i % 20 == 0) {
                assertOthersFine();
            }
        }
        Awaiting.until(Duration.ofSeconds(40), "all are closed", () -> streams() <= streams);
        assertThat(hits("send-buffer") + hits("send-timeout")).isGreaterThanOrEqualTo(hits + 190);
        assertThat(closes("no-capacity")).isGreaterThanOrEqualTo(closes + 190);
        Awaiting.until(
                Duration.ofSeconds(30), "the memory of " + SLOW + " is back", () -> heapInUse() < before + 20_000_000);
        System.out.println(
                "slow readers: heap " + before / 1_000_000 + " MB before, " + heapInUse() / 1_000_000 + " MB after");
    }

    /** A receiver of bytes that is too slow holds up a thread that reads, and only so many; the others go on. */
    @Test
    void echoesOfBytes_thatNobodyReads_holdUpNobodyElse() {
        double before = streams();
        double closes = closes("no-capacity");
        String room = openRoom();
        ByteString chunk = ByteString.copyFrom(new byte[60_000]);
        byte[] write = ClientMessage.newBuilder()
                .setByteStreamOperation(ByteStreamOperation.newBuilder()
                        .setStreamId(1)
                        .setWrite(ByteStreamOperation.Write.newBuilder().setChunk(chunk)))
                .build()
                .toByteArray();
        byte[] request = ClientMessage.newBuilder()
                .setRequestId("a")
                .setUEchoBytesRequest(UEchoBytesRequest.newBuilder().setStreamId(1))
                .build()
                .toByteArray();
        ExecutorService threads = Executors.newFixedThreadPool(ECHOES);
        try {
            for (int i = 0; i < ECHOES; i++) {
                RawStream one = keep(RawStream.connected(node().port(), query(room, "e-" + i), PROTOBUF, 2_048));
                one.binary(request);
                assertThat(one.read().opcode()).isEqualTo(RawStream.BINARY);
                var unused = CompletableFuture.runAsync(
                        () -> {
                            for (int writes = 0; writes < 100; writes++) {
                                one.binary(write);
                            }
                        },
                        threads);
            }
            Awaiting.until(Duration.ofSeconds(40), "all are closed", () -> {
                assertOthersFine();
                return streams() <= before;
            });
            assertThat(closes("no-capacity")).isGreaterThanOrEqualTo(closes + ECHOES / 2);
        } finally {
            threads.shutdownNow();
        }
    }

    private static byte[] big(int id) {
        return ("{\"requestId\":\"" + id + "\",\"uEchoRequest\":{\"message\":\"" + "m".repeat(60_000) + "\"}}")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** After a collection, in bytes. */
    private long heapInUse() throws IOException, InterruptedException {
        Process collect = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(node().pid()),
                        "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(collect.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return (long) metrics().value("memory_usedHeap_bytes");
    }
}
