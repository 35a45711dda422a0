package io.huddle.event;

import io.huddle.web.JsonShapes;
import io.huddle.web.Traces;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.io.PrintStream;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One JSON line for each transition, written after its commit, never for a heartbeat. It holds opaque ids, states and
 * times and nothing else. Goes to standard output, where the server passes JSON on as it is.
 *
 * <p>A command of an older generation is no transition, but the first of a kind has a line too: the client that sends it
 * believes to be somebody it is not. Those that follow are counted and not written, since such a client may go on with its
 * heartbeat. Safe for use by any thread.
 */
@ApplicationScoped
public class LifecycleLog {
    /** Rejections that are remembered, so that the memory is bounded; of what is forgotten there is a second line. */
    private static final int REMEMBERED = 10_000;

    private final PrintStream out = System.out;

    private final Map<Stale, Boolean> told = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Stale, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };

    @Inject
    private Traces traces;

    /** @param generation the current one */
    private record Stale(String command, String session, long generation) {}

    void transition(@Observes(during = TransactionPhase.AFTER_SUCCESS) Appended appended) {
        out.println(line(appended.event(), traces.current()));
    }

    /**
     * A command of an older generation arrived.
     *
     * @param generation the current one
     */
    public void stale(String command, String room, String session, long generation) {
        if (isNew(command, session, generation)) {
            out.println(stale(command, room, session, generation, Instant.now(), traces.current()));
        }
    }

    /** True once for each kind of command of a session, until it is joined again. */
    boolean isNew(String command, String session, long generation) {
        synchronized (told) {
            return told.put(new Stale(command, session, generation), true) == null;
        }
    }

    static JsonObject line(RoomEvent event, @Nullable String trace) {
        JsonObjectBuilder line = Json.createObjectBuilder()
                .add("log", "lifecycle")
                .add("type", event.type())
                .add("event", event.id())
                .add("room", event.room())
                .add("seq", event.seq())
                .add("at", JsonShapes.time(event.at()))
                .add("next", event.next());
        add(line, "session", event.session());
        add(line, "prior", event.prior());
        add(line, "reason", event.reason());
        add(line, "trace", trace);
        if (event.generation() != null) {
            line.add("generation", event.generation());
        }
        if (Boolean.TRUE.equals(event.shadow())) {
            line.add("shadow", true);
        }
        return line.build();
    }

    /** Nothing changed, so there is no event, and no state before and after. */
    static JsonObject stale(
            String command, String room, String session, long generation, Instant at, @Nullable String trace) {
        JsonObjectBuilder line = Json.createObjectBuilder()
                .add("log", "lifecycle")
                .add("type", "stale-generation")
                .add("command", command)
                .add("room", room)
                .add("session", session)
                .add("generation", generation)
                .add("at", JsonShapes.time(at));
        add(line, "trace", trace);
        return line.build();
    }

    private static void add(JsonObjectBuilder line, String name, @Nullable String value) {
        if (value != null) {
            line.add(name, value);
        }
    }
}
