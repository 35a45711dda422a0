package io.huddle.membership;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The members as they were a moment ago. Presence is believed for a second, or for a lease by who hears of its own error from
 * the node itself; absence never. Safe for use by any thread.
 */
final class Neighbours {
    private static final long FRESH_MS = 1_000;

    /** @param atNanos when the store was asked */
    private record Seen(NodeInfo node, long atNanos) {}

    private final MembershipBackend backend;
    private final Alarms alarms;
    private final Clocks clocks;
    private final Duration patience;
    private final Map<Long, Seen> seen = new ConcurrentHashMap<>();
    private volatile int count;

    Neighbours(MembershipBackend backend, Alarms alarms, Clocks clocks, Terms terms) {
        this.backend = backend;
        this.alarms = alarms;
        this.clocks = clocks;
        this.patience = Duration.ofMillis(terms.leaseMs());
    }

    /** Of a process that has joined anew only the newest number, while the lease of the older one still runs. */
    CompletionStage<List<NodeInfo>> all() {
        long asked = clocks.nanos().getAsLong();
        return alarms.within(patience, backend::members).thenApply(nodes -> {
            // Whoever was seen before and is not among them has gone; who was seen since may have come since.
            seen.values().removeIf(one -> one.atNanos() - asked <= 0);
            nodes.forEach(node -> see(node, asked));
            List<NodeInfo> newest = newestOfEach(nodes);
            count = newest.size();
            return newest;
        });
    }

    private static List<NodeInfo> newestOfEach(List<NodeInfo> nodes) {
        Map<String, Long> newest = new HashMap<>();
        nodes.forEach(node -> newest.merge(node.process(), node.number(), Math::max));
        return nodes.stream()
                .filter(node -> newest.getOrDefault(node.process(), 0L) == node.number())
                .toList();
    }

    /** The member, from a second ago at most. */
    CompletionStage<Optional<NodeInfo>> find(long number) {
        return find(number, FRESH_MS);
    }

    /** The member, from a lease ago at most: for calls, whose owner compares number and process with its own. */
    CompletionStage<Optional<NodeInfo>> route(long number) {
        return find(number, patience.toMillis());
    }

    private CompletionStage<Optional<NodeInfo>> find(long number, long believedMs) {
        Seen last = seen.get(number);
        if (last != null && clocks.elapsedMs(last.atNanos()) <= believedMs) {
            return CompletableFuture.completedFuture(Optional.of(last.node()));
        }
        long asked = clocks.nanos().getAsLong();
        return alarms.within(patience, () -> backend.member(number)).thenApply(node -> {
            node.ifPresentOrElse(there -> see(there, asked), () -> seen.remove(number));
            return node;
        });
    }

    private void see(NodeInfo node, long asked) {
        seen.merge(
                node.number(),
                new Seen(node, asked),
                (before, now) -> before.atNanos() - now.atNanos() > 0 ? before : now);
    }

    /** How many there were when all were last asked for, this node included. */
    int count() {
        return count;
    }
}
