package io.huddle.link;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What all links of a node have in common. Immutable.
 *
 * @param clock nanoseconds, monotonic
 * @param retired told of a link that starts nothing more; the calls that waited there go another way
 * @param ended told of a link that is dead
 */
record Shared(
        Limits limits,
        Operations operations,
        Budget budget,
        LongSupplier clock,
        Measured.Tally tally,
        BiConsumer<Link, List<Outgoing>> retired,
        Consumer<Link> ended) {}
