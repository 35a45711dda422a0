package io.huddle.mesh;

import io.huddle.registry.ClientRecord;
import io.huddle.registry.Sight;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether the client of a connection that has ended has left, or has moved: decided from record and claim at one instant,
 * and only while no claim is open. A committed takeover is a move, an aborted one was none. As long as nothing can be told
 * it is asked again, with every beat. Safe for use by any thread; nothing blocks.
 */
final class Departures {
    private final Function<String, CompletionStage<Sight>> registry;
    private final Set<Ended> undecided = ConcurrentHashMap.newKeySet();

    private record Ended(String clientId, String connectionId, Runnable left) {}

    private enum Verdict {
        LEFT,
        MOVED,
        OPEN
    }

    Departures(Function<String, CompletionStage<Sight>> registry) {
        this.registry = registry;
    }

    /** @param left called once, on any thread, if the client has left */
    void ended(String clientId, String connectionId, Runnable left) {
        Ended ended = new Ended(clientId, connectionId, left);
        undecided.add(ended);
        ask(ended);
    }

    void again() {
        List.copyOf(undecided).forEach(this::ask);
    }

    int size() {
        return undecided.size();
    }

    private void ask(Ended ended) {
        var unused = registry.apply(ended.clientId()).handle((sight, failed) -> {
            Verdict verdict = failed == null ? judge(sight) : Verdict.OPEN;
            if (verdict != Verdict.OPEN && undecided.remove(ended) && verdict == Verdict.LEFT) {
                ended.left().run();
            }
            return null;
        });
    }

    private static Verdict judge(@Nullable Sight sight) {
        if (sight == null || sight.claim() != null || sight.corrupt()) {
            return Verdict.OPEN;
        }
        // A record of this very connection is one of a number that has ended: it becomes an orphan, and that is told.
        ClientRecord record = sight.record();
        return record == null ? Verdict.LEFT : Verdict.MOVED;
    }
}
