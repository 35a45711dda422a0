package io.huddle.link;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What this node serves, by name. Safe for use by any thread. */
final class Operations {
    private final Map<String, LinkHandler> calls = new ConcurrentHashMap<>();

    void serve(String operation, LinkHandler handler) {
        if (calls.putIfAbsent(operation, handler) != null) {
            throw new IllegalStateException("the operation " + operation + " is served already");
        }
    }

    @Nullable
    LinkHandler call(String operation) {
        return calls.get(operation);
    }
}
