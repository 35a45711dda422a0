package io.huddle.harness;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller of the REST contract: one node, one token. Immutable, for any thread; {@code as}, {@code with} and
 * {@code within} answer a changed copy. Paths are relative to {@code /api/v1} and already encoded.
 *
 * <p>Every call answers whatever the node said, refusals too, and throws {@link java.io.UncheckedIOException} when it said
 * nothing.
 */
public final class Api {
    private static final String JSON = "application/json";
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final URI base;
    private final Map<String, String> headers;
    private final Duration patience;

    private Api(URI base, Map<String, String> headers, Duration patience) {
        this.base = base;
        this.headers = headers;
        this.patience = patience;
    }

    public static Api of(Node node, String token) {
        return anonymous(node).as(token);
    }

    /** A caller without a token. */
    public static Api anonymous(Node node) {
        return at(node.uri("/api/v1"));
    }

    /** A caller without a token, at any base address without a slash at its end. */
    public static Api at(URI base) {
        return new Api(base, Map.of("Accept", JSON), PATIENCE);
    }

    public Api as(String token) {
        return with("Authorization", "Bearer " + token);
    }

    /** Sends this header with every call; it replaces one of the same name. */
    public Api with(String name, String value) {
        Map<String, String> more = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        more.putAll(headers);
        more.put(name, value);
        return new Api(base, more, patience);
    }

    /** The same caller on another node. */
    public Api on(Node node) {
        return new Api(node.uri(base.getPath()), headers, patience);
    }

    /** The same caller with paths from the root of the server: {@code /health/ready}, {@code /metrics}. */
    public Api atRoot() {
        return new Api(URI.create(base.getScheme() + "://" + base.getAuthority()), headers, patience);
    }

    /** How long a call waits for its answer. */
    public Api within(Duration time) {
        return new Api(base, headers, time);
    }

    public Answer get(String path) {
        return exchange(request("GET", path, BodyPublishers.noBody()));
    }

    public Answer post(String path) {
        return exchange(request("POST", path, BodyPublishers.noBody()));
    }

    public Answer post(String path, JsonObject body) {
        return send("POST", path, body);
    }

    public Answer put(String path, JsonObject body) {
        return send("PUT", path, body);
    }

    public Answer patch(String path, JsonObject body) {
        return send("PATCH", path, body);
    }

    public Answer delete(String path) {
        return exchange(request("DELETE", path, BodyPublishers.noBody()));
    }

    public Answer send(String method, String path, JsonObject body) {
        return send(method, path, JSON, body.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Any bytes under any content type: for bodies that no JSON writer would make. */
    public Answer send(String method, String path, String contentType, byte[] body) {
        return with("Content-Type", contentType).exchange(method, path, body);
    }

    /** Sends without waiting, for calls that race; the answer arrives on a thread of the HTTP client. */
    public CompletableFuture<Answer> later(String method, String path, @Nullable JsonObject body) {
        HttpRequest request = body == null
                ? request(method, path, BodyPublishers.noBody())
                : with("Content-Type", JSON).request(method, path, BodyPublishers.ofString(body.toString()));
        return Http.client().sendAsync(request, BodyHandlers.ofString()).thenApply(Answer::of);
    }

    // The calls of the contract.

    public Answer createRoom(String team, String occurrence, String key) {
        return createRoom(key, json().add("team", team).add("occurrence", occurrence));
    }

    public Answer createRoom(String key, JsonObjectBuilder room) {
        return with("Idempotency-Key", key).post("/rooms", room.build());
    }

    public Answer rooms(String team) {
        return get("/rooms?team=" + encode(team));
    }

    public Answer room(String room) {
        return get("/rooms/" + room);
    }

    public Answer close(String room) {
        return post("/rooms/" + room + "/close");
    }

    public Answer join(String room) {
        return post("/rooms/" + room + "/sessions", JsonObject.EMPTY_JSON_OBJECT);
    }

    public Answer join(String room, String key) {
        return with("Idempotency-Key", key).join(room);
    }

    /** Joins another participant than the caller, as only an integrator may. */
    public Answer joinAs(String room, String participant) {
        return post(
                "/rooms/" + room + "/sessions",
                json().add("participant", participant).build());
    }

    public Answer renew(String room, String session, long generation) {
        return put(session(room, session) + "/lease", generation(generation).build());
    }

    public Answer renew(String room, String session, long generation, long counter) {
        return put(
                session(room, session) + "/lease",
                generation(generation).add("counter", counter).build());
    }

    public Answer suspend(String room, String session, long generation) {
        return post(session(room, session) + "/suspend", generation(generation).build());
    }

    public Answer suspend(String room, String session, long generation, long counter) {
        return post(
                session(room, session) + "/suspend",
                generation(generation).add("counter", counter).build());
    }

    public Answer media(String room, String session, long generation, String state) {
        return post(
                session(room, session) + "/media",
                generation(generation).add("state", state).build());
    }

    public Answer leave(String room, String session, long generation) {
        return delete(session(room, session) + "?generation=" + generation);
    }

    public Answer roster(String room) {
        return get("/rooms/" + room + "/roster");
    }

    public Answer events(String room, long after) {
        return get("/rooms/" + room + "/events?after=" + after);
    }

    /** The room's events, live, from the next one on or what the node sends by default. */
    public Sse subscribe(String room) {
        return Sse.open(with("Accept", Sse.TYPE).request("GET", "/rooms/" + room + "/events", BodyPublishers.noBody()));
    }

    /** The room's events after the one with this sequence number, then live. */
    public Sse subscribe(String room, long lastEventId) {
        return with("Last-Event-ID", Long.toString(lastEventId)).subscribe(room);
    }

    /** A builder, so that tests need no import for it. */
    public static JsonObjectBuilder json() {
        return Json.createObjectBuilder();
    }

    /** A value as it must stand in a query or a path. */
    public static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private Answer exchange(String method, String path, byte[] body) {
        return exchange(request(method, path, BodyPublishers.ofByteArray(body)));
    }

    private static Answer exchange(HttpRequest request) {
        return Answer.of(Http.send(request, BodyHandlers.ofString()));
    }

    private HttpRequest request(String method, String path, BodyPublisher body) {
        HttpRequest.Builder request =
                Http.request(URI.create(base + path)).timeout(patience).method(method, body);
        headers.forEach(request::setHeader);
        return request.build();
    }

    private static String session(String room, String session) {
        return "/rooms/" + room + "/sessions/" + session;
    }

    private static JsonObjectBuilder generation(long generation) {
        return json().add("generation", generation);
    }
}
