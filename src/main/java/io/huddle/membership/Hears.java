package io.huddle.membership;

import java.util.function.Consumer;

/**
 * Who is told what happens to the membership. Gains and losses are told one after the other, in their order; deaths on a
 * line of their own, so that removing a dead node's remains delays nobody. All on threads of the server.
 */
public record Hears(Consumer<LeaseGained> gained, Consumer<LeaseLost> lost, Consumer<NodeDied> died) {}
