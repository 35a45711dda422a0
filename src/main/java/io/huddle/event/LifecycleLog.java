package io.huddle.event;

import io.huddle.web.JsonShapes;
import io.huddle.web.Traces;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import java.io.PrintStream;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One JSON line for each transition, written after its commit, never for a heartbeat. It holds opaque ids, states and
 * times and nothing else. Goes to standard output, where the server passes JSON on as it is.
 */
@ApplicationScoped
public class LifecycleLog {
    private final PrintStream out = System.out;

    @Inject
    private Traces traces;

    void transition(@Observes(during = TransactionPhase.AFTER_SUCCESS) Appended appended) {
        RoomEvent event = appended.event();
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
        add(line, "trace", traces.current());
        if (event.generation() != null) {
            line.add("generation", event.generation());
        }
        if (event.shadow() != null) {
            line.add("shadow", event.shadow());
        }
        out.println(line.build());
    }

    /**
     * A command of an older generation arrived.
     *
     * @param generation the current one
     */
    public void stale(String command, String room, String session, long generation) {
        JsonObjectBuilder line = Json.createObjectBuilder()
                .add("log", "lifecycle")
                .add("type", "stale-generation")
                .add("command", command)
                .add("room", room)
                .add("session", session)
                .add("generation", generation)
                .add("at", JsonShapes.time(Instant.now()));
        add(line, "trace", traces.current());
        out.println(line.build());
    }

    private static void add(JsonObjectBuilder line, String name, @Nullable String value) {
        if (value != null) {
            line.add(name, value);
        }
    }
}
