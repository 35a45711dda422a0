package io.huddle.presence;

import io.huddle.store.Failure;
import io.huddle.web.Causes;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;

/**
 * How a failure of a method leaves by the stream: refused commands are counted here, once, and a database that is away is
 * {@code unavailable}, as by REST. Safe for use by any thread.
 */
@ApplicationScoped
public class StreamFailures {
    @Inject
    private PresenceMetrics metrics;

    /**
     * Runs the work of a method.
     *
     * @throws Refused if it was refused, or cannot be done now
     */
    public <T> T run(Callable<T> work) {
        try {
            return work.call();
        } catch (Exception failed) {
            throw of(failed);
        }
    }

    /** What to throw in place of a failure; called once for each. */
    public RuntimeException of(Throwable failed) {
        Throwable cause = Causes.of(failed);
        if (cause instanceof Rejection rejection) {
            metrics.rejected(rejection);
            return rejection;
        }
        if (cause instanceof Refused refused) {
            return refused;
        }
        if (cause instanceof RejectedExecutionException || Failure.of(cause) != Failure.DEFECT) {
            return new Refused(Refusal.UNAVAILABLE, "nothing was changed; send the same request again");
        }
        return Causes.unchecked(cause);
    }
}
