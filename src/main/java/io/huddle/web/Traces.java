package io.huddle.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.context.control.RequestContextController;
import jakarta.inject.Inject;
import org.jspecify.annotations.Nullable;

/** Carries trace ids from requests to the work that they lead to. Safe for use by any thread. */
@ApplicationScoped
public class Traces {
    @Inject
    private Trace trace;

    @Inject
    private RequestContextController contexts;

    /** The trace id of the request that this thread works for; null in background work. */
    public @Nullable String current() {
        try {
            return trace.id();
        } catch (ContextNotActiveException background) {
            return null;
        }
    }

    /** Runs work that a request handed to another thread, under the request's trace. */
    public void resume(@Nullable String traceId, Runnable work) {
        boolean mine = contexts.activate();
        try {
            trace.resume(traceId);
            work.run();
        } finally {
            if (mine) {
                contexts.deactivate();
            }
        }
    }
}
