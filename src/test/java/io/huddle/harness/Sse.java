package io.huddle.harness;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * A live subscription to server-sent events: a thread of its own collects them until either side ends the stream. For any
 * thread. It never reconnects by itself; a test that wants to subscribes again from {@link #lastId}.
 */
public final class Sse implements AutoCloseable {
    static final String TYPE = "text/event-stream";

    /** One event; {@code id} is the last one seen on the stream, {@code type} is {@code message} unless named. */
    public record Event(String id, String type, String data) {
        public JsonObject json() {
            try (JsonReader reader = Json.createReader(new StringReader(data))) {
                return reader.readObject();
            }
        }
    }

    private final InputStream body;
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger comments = new AtomicInteger();
    private final Thread reader = new Thread(this::read, "sse");

    private Sse(InputStream body) {
        this.body = body;
    }

    /** Opens the stream; fails with the answer unless it is 200 and an event stream. */
    static Sse open(HttpRequest request) {
        HttpResponse<InputStream> response = Http.send(request, BodyHandlers.ofInputStream());
        String type = response.headers().firstValue("Content-Type").orElse("");
        if (response.statusCode() != 200 || !type.startsWith(TYPE)) {
            throw new AssertionError("no event stream: " + refusal(response));
        }
        Sse stream = new Sse(response.body());
        stream.reader.setDaemon(true);
        stream.reader.start();
        return stream;
    }

    /** What has arrived so far. */
    public List<Event> events() {
        return List.copyOf(events);
    }

    /** How many comment lines have arrived: what keeps an idle stream alive. */
    public int comments() {
        return comments.get();
    }

    /** The id to resume from; empty before the first one. */
    public String lastId() {
        List<Event> seen = events();
        return seen.isEmpty() ? "" : seen.get(seen.size() - 1).id();
    }

    /** Whether the stream is over, whoever ended it. */
    public boolean isEnded() {
        return !reader.isAlive();
    }

    /** Waits until at least so many events have arrived, and answers all there are. */
    public List<Event> await(int count) {
        return Awaiting.value(Awaiting.PATIENCE, count + " events", this::events, arrived -> arrived.size() >= count);
    }

    /** Waits for an event that the predicate accepts, and answers the first. */
    public Event await(String what, Predicate<Event> wanted) {
        return Awaiting.value(
                        Awaiting.PATIENCE,
                        what,
                        () -> events.stream().filter(wanted).findFirst(),
                        found -> found.isPresent())
                .orElseThrow();
    }

    /** Ends the subscription; what has arrived stays readable. */
    @Override
    public void close() {
        try {
            body.close();
        } catch (IOException alreadyBroken) {
            // The end of the stream is all that was wanted.
        }
    }

    private void read() {
        SseParser parser = new SseParser();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(":")) {
                    comments.incrementAndGet();
                }
                parser.line(line).ifPresent(events::add);
            }
        } catch (IOException ended) {
            // Closed by the test, or the node died: isEnded tells, and the test knows which it meant.
        }
    }

    private static Answer refusal(HttpResponse<InputStream> response) {
        try (InputStream body = response.body()) {
            String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
            return new Answer(response.statusCode(), response.headers(), text);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
