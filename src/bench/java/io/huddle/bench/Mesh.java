package io.huddle.bench;

import io.huddle.wire.ClientMessage;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.PingPong;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.UCallRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The nodes under test and the clients on them: who calls, who is called, who is only there. */
final class Mesh {
    private static final long PING = TimeUnit.SECONDS.toNanos(30);
    private static final String SECRET = "a-secret-of-the-benchmark-and-of-nobody-else";
    private static final ByteBuffer PING_FRAME = WebSocketLine.frame(ClientMessage.newBuilder()
            .setPingPong(PingPong.getDefaultInstance())
            .build()
            .toByteArray());

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Loop loop = new Loop();
    private final int[] ports;
    private long requests;
    private final List<WebSocketLine> quiet = new ArrayList<>();

    Mesh(int[] ports) throws IOException {
        this.ports = ports.clone();
        loop.every(PING, () -> quiet.forEach(line -> line.write(PING_FRAME.duplicate())));
    }

    Loop loop() {
        return loop;
    }

    int port(int node) {
        return ports[node - 1];
    }

    void makeKeys(int count) throws IOException, InterruptedException {
        new Service(ports[0]).makeKeys(count, SECRET);
    }

    String operator() throws IOException, InterruptedException {
        return new Service(ports[0]).token("operator", "operator");
    }

    /** Streams of the clients from this number on. */
    Opened open(int node, int first, int count, int atATime) throws IOException {
        Opening opening = new Opening(loop, port(node), 0, client -> Service.signed(first + client, SECRET));
        List<WebSocketLine> lines = opening.open(count, atATime);
        return new Opened(lines, opening.samples());
    }

    /** The same, which the server may close when others take them over. */
    Opened openForAWhile(int node, int first, int count, int atATime) throws IOException {
        Opened opened = open(node, first, count, atATime);
        opened.lines().forEach(WebSocketLine::mayEnd);
        return opened;
    }

    /** Streams, and how long each took to be connected. */
    record Opened(List<WebSocketLine> lines, Samples samples) {}

    /** The same, which answer every call with its data and are kept alive. */
    List<WebSocketLine> openTargets(int node, int first, int count) throws IOException {
        List<WebSocketLine> lines = open(node, first, count, 16).lines();
        lines.forEach(line -> line.onMessage(message -> answer(line, Service.parse(message))));
        keep(lines);
        return lines;
    }

    /** Pings these from now on. Their takers must expect the answers. */
    void keep(List<WebSocketLine> lines) {
        quiet.addAll(lines);
    }

    void forget(List<WebSocketLine> lines) {
        quiet.removeAll(lines);
    }

    private static void answer(WebSocketLine line, ServerMessage message) {
        if (message.hasDCallRequest()) {
            line.write(WebSocketLine.frame(ClientMessage.newBuilder()
                    .setRequestId(message.getRequestId())
                    .setReply(true)
                    .setDCallResponse(DCallResponse.newBuilder()
                            .setData(message.getDCallRequest().getData()))
                    .build()
                    .toByteArray()));
        }
    }

    ByteBuffer call(int client, int timeoutMs) {
        return WebSocketLine.frame(ClientMessage.newBuilder()
                .setRequestId("b" + ++requests)
                .setUCallRequest(UCallRequest.newBuilder()
                        .setToClient("c-bench" + client)
                        .setType("echo")
                        .setData("1")
                        .setTimeoutMs(timeoutMs))
                .build()
                .toByteArray());
    }

    /** The id of the request made last. */
    String lastRequest() {
        return "b" + requests;
    }

    /** Asks a node by HTTP while the lines are served. */
    String get(int node, String path, String token) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port(node) + path));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request.build(), BodyHandlers.ofString());
        loop.run(answer::isDone, () -> TimeUnit.MILLISECONDS.toNanos(2));
        HttpResponse<String> response = answer.join();
        if (response.statusCode() != 200) {
            throw new IOException(path + " answered " + response.statusCode() + " " + response.body());
        }
        return response.body();
    }

    /** The sum of a metric of a node over all its labels. */
    double metric(int node, String name) throws IOException {
        return get(node, "/metrics", "")
                .lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
