package io.huddle.mesh;

import io.huddle.registry.Warrant;
import java.time.Duration;
import java.util.Optional;

/** Gives warrants for operations of this node, each with an id of its own; none without a safe lease. */
@FunctionalInterface
interface Warrants {
    Optional<Warrant> next(Duration validity);
}
