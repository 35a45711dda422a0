package io.huddle.mesh;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where clients of other nodes were last found: the owner and the exact connection, never metadata and never an absence.
 * Bounded; the one not used for the longest time goes first. Safe for use by any thread.
 */
final class Routes {
    private final Map<String, Route> known;

    /** One exact connection of a client on another node. */
    record Route(long node, String process, String connectionId) {}

    Routes(int most) {
        known = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Route> eldest) {
                return size() > most;
            }
        };
    }

    synchronized @Nullable Route find(String client) {
        return known.get(client);
    }

    synchronized void put(String client, Route route) {
        known.put(client, route);
    }

    /** Forgets it unless it has changed meanwhile. */
    synchronized void forget(String client, Route route) {
        known.remove(client, route);
    }
}
