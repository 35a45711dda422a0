package io.huddle.bench;

import io.huddle.wire.CanonicalHandshake;
import io.huddle.wire.ServerMessage;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The node under test as its clients see it: sign-in, rooms, the addresses of streams. */
final class Service {
    static final String TEAM = "bench";

    private final int port;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Service(int port) {
        this.port = port;
    }

    /** Makes this many keys, c-bench0 and so on, all with the secret that is given. */
    void makeKeys(int count, String secret) throws IOException, InterruptedException {
        post("/bench/keys?count=" + count + "&secret=" + secret, "", "");
    }

    String token(String subject, String group) throws IOException, InterruptedException {
        String answer = post(
                "/api/v1/demo/token",
                "",
                "{\"subject\":\"" + subject + "\",\"groups\":[\"" + group + "\"],\"teams\":[\"" + TEAM + "\"]}");
        return field(answer, "token");
    }

    /** A room with long leases, so that nothing of it ends between two rounds. */
    String room(String token) throws IOException, InterruptedException {
        String answer = post(
                "/api/v1/rooms",
                token,
                "{\"team\":\"" + TEAM + "\",\"occurrence\":\"" + UUID.randomUUID() + "\",\"policy\":"
                        + "{\"maxParticipants\":100,\"heartbeatSeconds\":30,\"leaseSeconds\":120}}");
        return field(answer, "id");
    }

    String join(String token, String room) throws IOException, InterruptedException {
        return post("/api/v1/rooms/" + room + "/sessions", token, "{}");
    }

    private String post(String path, String token, String json) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .POST(HttpRequest.BodyPublishers.ofString(json));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IOException(path + " answered " + answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }

    static String field(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
        if (!found.find()) {
            throw new IllegalStateException("no " + name + " in " + json);
        }
        return found.group(1);
    }

    /** The upgrade's target for a client with a key. */
    static String signed(int client, String secret) {
        String nonce = UUID.randomUUID().toString();
        String id = UUID.randomUUID().toString();
        String now = Long.toString(System.currentTimeMillis());
        String cid = "c-bench" + client;
        String signature = new CanonicalHandshake(
                        "/stream", "/stream", "bench", now, nonce, id, cid, "4", true, "", Map.of())
                .signature(secret);
        return "/stream?pv=4&appv=bench&ts=" + now + "&nonce=" + nonce + "&aud=%2Fstream&id=" + id + "&cid=" + cid
                + "&supersede=1&signature=" + signature;
    }

    static String ticketed(String ticket) {
        return "/stream?pv=4&ticket=" + ticket;
    }

    static ServerMessage parse(ByteBuffer message) {
        try {
            return ServerMessage.parseFrom(message);
        } catch (IOException malformed) {
            throw new IllegalStateException(malformed);
        }
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
