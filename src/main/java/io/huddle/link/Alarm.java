package io.huddle.link;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs something after a time. */
@FunctionalInterface
interface Alarm {
    /** @return what calls it off; harmless once it has rung */
    Runnable after(long nanos, Runnable ring);

    /**
     * The alarms of the platform's library, which have a thread of their own: a deadline is then kept also while every
     * thread of the server is busy. What rings must not block.
     */
    static Alarm own() {
        return (nanos, ring) -> {
            CompletableFuture<Boolean> rung = new CompletableFuture<>();
            CompletableFuture<Void> unused = rung.completeOnTimeout(Boolean.TRUE, nanos, TimeUnit.NANOSECONDS)
                    .thenAccept(late -> {
                        if (late) {
                            ring.run();
                        }
                    });
            return () -> rung.complete(Boolean.FALSE);
        };
    }
}
