package io.huddle.link;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What this node serves, by name. Safe for use by any thread. */
final class Operations {
    private final Map<String, LinkHandler> calls = new ConcurrentHashMap<>();
    private final Map<String, LinkAcceptor> streams = new ConcurrentHashMap<>();

    void serve(String operation, LinkHandler handler) {
        once(calls.putIfAbsent(operation, handler), operation);
    }

    void serveBytes(String operation, LinkAcceptor acceptor) {
        once(streams.putIfAbsent(operation, acceptor), operation);
    }

    @Nullable
    LinkHandler call(String operation) {
        return calls.get(operation);
    }

    @Nullable
    LinkAcceptor stream(String operation) {
        return streams.get(operation);
    }

    private static void once(@Nullable Object before, String operation) {
        if (before != null) {
            throw new IllegalStateException("the operation " + operation + " is served already");
        }
    }
}
