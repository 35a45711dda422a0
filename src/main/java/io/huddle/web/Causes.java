package io.huddle.web;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What a stage failed with, without what the library wraps it in on its way. Pure. */
public final class Causes {
    private Causes() {}

    /** The failure itself; what has no cause is its own. */
    public static Throwable of(Throwable failed) {
        Throwable cause = failed;
        while (cause instanceof CompletionException || cause instanceof ExecutionException) {
            Throwable inner = cause.getCause();
            if (inner == null) {
                return cause;
            }
            cause = inner;
        }
        return cause;
    }

    /** The failure in a form that may be thrown: itself, if it is unchecked. */
    public static RuntimeException unchecked(Throwable failed) {
        Throwable cause = of(failed);
        return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
    }
}
