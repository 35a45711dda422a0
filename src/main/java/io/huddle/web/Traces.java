package io.huddle.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.inject.Inject;
import org.jspecify.annotations.Nullable;

/**
 * Carries trace ids from requests to the work that they lead to. Safe for use by any thread.
 *
 * <p>Work that was handed over has its trace by the thread and not by the request: on the threads of a WebSocket the
 * platform still shows the upgrade's request, which was over long ago and fails whoever asks it.
 */
@ApplicationScoped
public class Traces {
    private static final String NONE = "";

    private final ThreadLocal<@Nullable String> carried = new ThreadLocal<>();

    @Inject
    private Trace trace;

    /** The trace id of the request that this thread works for; null in background work. */
    public @Nullable String current() {
        String mine = carried.get();
        if (mine != null) {
            return mine.equals(NONE) ? null : mine;
        }
        try {
            return trace.id();
        } catch (ContextNotActiveException background) {
            return null;
        }
    }

    /** Runs work that a request handed to another thread, under the request's trace, or under none. */
    public void resume(@Nullable String traceId, Runnable work) {
        String before = carried.get();
        carried.set(traceId == null ? NONE : traceId);
        try {
            work.run();
        } finally {
            if (before == null) {
                carried.remove();
            } else {
                carried.set(before);
            }
        }
    }
}
