package io.huddle.mesh;

import java.util.concurrent.CompletionStage;

/** What the database says of the generations of this node's streams; implemented above, where generations are known. */
@FunctionalInterface
public interface GenerationFence {
    /**
     * Completes once every stream whose generation was overtaken two seconds ago or longer has been ended. As a rule that is
     * so already; if the last look into the database is too long ago, as in a process that was paused, it is after the next one.
     * A database that does not answer keeps nobody waiting for longer than two seconds. Never exceptionally; does not block.
     */
    CompletionStage<Void> recent();
}
