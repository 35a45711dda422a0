package io.huddle.bench;

import io.huddle.wire.ClientMessage;
import io.huddle.wire.PingPong;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.UEchoRequest;
import io.huddle.wire.UEchoResponse;
import io.huddle.wire.URenewRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The client of {@code src/bench/run streams}: {@code idle PORT COUNT}, {@code echo PORT SECONDS ROUNDS} or {@code renew
 * PORT SECONDS ROUNDS}. Prints one line of JSON.
 *
 * <p>{@code idle} opens streams, says so, keeps them alive with pings and ends with a line on its input. The other two
 * measure two sides in turns and give all the rounds of a side together.
 */
public final class StreamsBench {
    private static final int LINES = 64;
    private static final int AT_A_TIME = 64;
    private static final long PING = TimeUnit.SECONDS.toNanos(40);
    private static final String SECRET = "a-secret-of-the-benchmark-and-of-nobody-else";

    private final int port;
    private final Loop loop = new Loop();
    private final Service service;

    private StreamsBench(int port) throws IOException {
        this.port = port;
        this.service = new Service(port);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        StreamsBench bench = new StreamsBench(Integer.parseInt(arguments[1]));
        int number = Integer.parseInt(arguments[2]);
        switch (arguments[0]) {
            case "idle" -> bench.idle(number);
            case "echo" -> bench.echo(number, Integer.parseInt(arguments[3]));
            case "renew" -> bench.renew(number, Integer.parseInt(arguments[3]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.exit(0);
    }

    private List<WebSocketLine> signed(int count) throws IOException, InterruptedException {
        service.makeKeys(count, SECRET);
        return new Opening(loop, port, 0, client -> Service.signed(client, SECRET)).open(count, AT_A_TIME);
    }

    private void idle(int count) throws IOException, InterruptedException {
        service.makeKeys(count, SECRET);
        Opening opening = new Opening(loop, port, 0, client -> Service.signed(client, SECRET));
        List<WebSocketLine> lines = opening.open(count, AT_A_TIME);
        say("{\"streams\":" + count + "," + opening.samples().members() + "}");
        byte[] ping = ClientMessage.newBuilder()
                .setPingPong(PingPong.getDefaultInstance())
                .build()
                .toByteArray();
        loop.run(StreamsBench::isEnded, new LongSupplier() {
            // The first streams are the oldest ones, perhaps older than half a ping's interval already.
            private long next = System.nanoTime();

            @Override
            public long getAsLong() {
                if (System.nanoTime() >= next) {
                    next = System.nanoTime() + PING;
                    lines.forEach(line -> line.write(WebSocketLine.frame(ping)));
                }
                return TimeUnit.MILLISECONDS.toNanos(100);
            }
        });
        lines.forEach(Line::close);
    }

    private static boolean isEnded() {
        try {
            return System.in.available() > 0;
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** The same frames to both: what the product takes apart and answers, and what the bare endpoint sends back. */
    private void echo(int seconds, int rounds) throws IOException, InterruptedException {
        List<WebSocketLine> streams = signed(LINES);
        List<WebSocketLine> bare = new ArrayList<>();
        int[] open = new int[1];
        for (int i = 0; i < LINES; i++) {
            bare.add(new WebSocketLine(loop, port, 0, "/bench/echo", () -> open[0]++));
        }
        loop.run(() -> open[0] == LINES, Loop.NO_WORK);
        List<byte[]> requests = new ArrayList<>();
        List<ByteBuffer> answers = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            String text = String.format(Locale.ROOT, "%0100d", i);
            requests.add(ClientMessage.newBuilder()
                    .setRequestId("r" + i)
                    .setUEchoRequest(UEchoRequest.newBuilder().setMessage(text))
                    .build()
                    .toByteArray());
            answers.add(ByteBuffer.wrap(ServerMessage.newBuilder()
                    .setRequestId("r" + i)
                    .setReply(true)
                    .setUEchoResponse(UEchoResponse.newBuilder().setMessage(text))
                    .build()
                    .toByteArray()));
        }
        Side product = seconds1 -> new Round(
                        streams,
                        i -> WebSocketLine.frame(requests.get(i)),
                        (answer, i) -> require(answer.equals(answers.get(i))))
                .run(loop, seconds1);
        Side endpoint = seconds1 -> new Round(
                        bare,
                        i -> WebSocketLine.frame(requests.get(i)),
                        (answer, i) -> require(answer.equals(ByteBuffer.wrap(requests.get(i)))))
                .run(loop, seconds1);
        compare("stream", product, "bare", endpoint, seconds, rounds);
    }

    /** One member of a room, who renews by either way with one counter. */
    private static final class Member {
        private final String token;
        private final String room;
        private final String session;
        private final String ticket;
        private int counter;

        Member(String token, String room, String joined) {
            this.token = token;
            this.room = room;
            this.session = Service.field(joined, "session");
            this.ticket = Service.field(joined, "ticket");
        }

        ByteBuffer stream() {
            counter++;
            return WebSocketLine.frame(ClientMessage.newBuilder()
                    .setRequestId(Integer.toString(counter))
                    .setURenewRequest(URenewRequest.newBuilder()
                            .setSession(session)
                            .setGeneration(1)
                            .setCounter(counter))
                    .build()
                    .toByteArray());
        }

        ByteBuffer rest() {
            counter++;
            String body = "{\"generation\":1,\"counter\":" + counter + "}";
            return ByteBuffer.wrap(Service.ascii("PUT /api/v1/rooms/" + room + "/sessions/" + session
                    + "/lease HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                    + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body));
        }
    }

    private void renew(int seconds, int rounds) throws IOException, InterruptedException {
        List<Member> members = new ArrayList<>();
        String room = service.room(service.token("host", "participant"));
        for (int i = 0; i < LINES; i++) {
            String token = service.token("member-" + i, "participant");
            members.add(new Member(token, room, service.join(token, room)));
        }
        List<WebSocketLine> streams =
                new Opening(loop, port, 0, i -> Service.ticketed(members.get(i).ticket)).open(LINES, AT_A_TIME);
        List<HttpLine> connections = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            connections.add(new HttpLine(loop, port));
        }
        Side byStream = seconds1 -> new Round(
                        streams,
                        i -> members.get(i).stream(),
                        (answer, i) -> require(Service.parse(answer).hasURenewResponse()))
                .run(loop, seconds1);
        byte[] ok = Service.ascii("HTTP/1.1 200 ");
        Side byRest = seconds1 -> new Round(
                        connections,
                        i -> members.get(i).rest(),
                        (answer, i) -> require(answer.slice(0, ok.length).equals(ByteBuffer.wrap(ok))))
                .run(loop, seconds1);
        compare("stream", byStream, "rest", byRest, seconds, rounds);
    }

    /** One of the two that are compared. */
    @FunctionalInterface
    private interface Side {
        Samples run(double seconds) throws IOException;
    }

    private static void compare(String oneName, Side one, String otherName, Side other, int seconds, int rounds)
            throws IOException {
        for (int i = 0; i < 2; i++) {
            one.run(seconds);
            other.run(seconds);
        }
        Samples ones = new Samples();
        Samples others = new Samples();
        StringBuilder ratios = new StringBuilder();
        for (int i = 0; i < rounds; i++) {
            Samples first = one.run(seconds);
            Samples second = other.run(seconds);
            ratios.append(i == 0 ? "" : ",")
                    .append(String.format(Locale.ROOT, "%.2f", first.perSecond() / second.perSecond()));
            ones.add(first);
            others.add(second);
        }
        say(String.format(
                Locale.ROOT,
                "{\"%s\":{%s},\"%s\":{%s},\"ratio\":%.2f,\"ratios\":[%s]}",
                oneName,
                ones.members(),
                otherName,
                others.members(),
                ones.perSecond() / others.perSecond(),
                ratios));
    }

    private static void require(boolean isRight) {
        if (!isRight) {
            throw new IllegalStateException("a wrong answer");
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
