package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Sse;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who follows a room over server-sent events and applies what comes, as a page does: drops what it has seen, and takes an
 * event's {@code next} for the session's state.
 */
final class Watcher implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Sse stream;

    private Watcher(Sse stream) {
        this.stream = stream;
    }

    /** Follows from the room's first event on. */
    static Watcher of(Api api, String room) {
        return new Watcher(api.subscribe(room, 0));
    }

    /** Waits until the event with this number has come, and answers the roster that the events up to it make. */
    Set<String> picture(long seq) {
        Awaiting.until(
                PATIENCE,
                "event " + seq + " at a watcher that has " + numbers(),
                () -> numbers().contains(seq));
        Map<String, String> sessions = new TreeMap<>();
        for (JsonObject event : events()) {
            if (event.getInt("seq") <= seq && event.containsKey("session")) {
                String session = event.getString("session");
                if (event.getString("next").equals("absent")) {
                    sessions.remove(session);
                } else {
                    sessions.put(session, entry(event, "next"));
                }
            }
        }
        return new TreeSet<>(sessions.values());
    }

    /** The same picture from the server's roster. */
    static Set<String> picture(JsonObject roster) {
        Set<String> entries = new TreeSet<>();
        roster.getJsonArray("entries")
                .getValuesAs(JsonObject.class)
                .forEach(entry -> entries.add(entry(entry, "state")));
        return entries;
    }

    /** Fails unless the numbers came as 1, 2, 3, … without gap, duplicate or detour. */
    void assertInOrder() {
        List<Long> numbers = numbers();
        for (int at = 0; at < numbers.size(); at++) {
            assertThat(numbers.get(at)).as("order of %s", numbers).isEqualTo(at + 1);
        }
    }

    List<JsonObject> events() {
        return stream.events().stream().map(Sse.Event::json).toList();
    }

    private List<Long> numbers() {
        return stream.events().stream().map(event -> Long.parseLong(event.id())).toList();
    }

    private static String entry(JsonObject of, String state) {
        return of.getString("session") + " " + of.getInt("generation") + " " + of.getString(state);
    }

    @Override
    public void close() {
        stream.close();
    }
}
