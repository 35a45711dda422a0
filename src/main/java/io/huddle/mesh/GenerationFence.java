package io.huddle.mesh;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** What the database says of the generations of this node's streams; implemented above, where generations are known. */
@FunctionalInterface
public interface GenerationFence {
    /** So long after a newer generation was joined no node that reaches the database has a stream of an older one. */
    Duration WITHIN = Duration.ofSeconds(2);

    /**
     * Completes once every stream whose generation was overtaken {@link #WITHIN} ago or longer has been ended. As a rule that is
     * so already; if the last look into the database is too long ago, as in a process that was paused, it is after the next one.
     * A database that does not answer keeps nobody waiting for longer than that once more. Never exceptionally; does not block.
     */
    CompletionStage<Void> recent();
}
